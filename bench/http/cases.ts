import type { RequestParts } from '../support/http-connection.ts'

/** One route, with the request that is sent to it. */
export interface Case extends RequestParts {
  name: string
}

/** The requests to the service, which holds the demo data, and to the bare server in its place. */
export function casesFor(token: string): Case[] {
  const headers = { authorization: `Bearer ${token}`, 'x-svc-scope': '*' }
  return [
    { name: 'GET /livez', method: 'GET', path: '/livez' },
    { name: 'GET /v1/health', method: 'GET', path: '/v1/health' },
    { name: 'GET /v1/context', method: 'GET', path: '/v1/context', headers },
    ...[10, 50].map((hits) => ({
      name: `POST /v1/search, ${hits} hits`,
      method: 'POST',
      path: '/v1/search',
      headers,
      body: JSON.stringify({ q: 'the ferry at the pier', top_k: hits }),
    })),
    {
      name: 'POST /graphql',
      method: 'POST',
      path: '/graphql',
      headers,
      body: JSON.stringify({ query: '{ context { principal { principalId namespace } } }' }),
    },
  ]
}
