import { httpRequest } from '../support/http-connection.ts'

/** The nth request of a client. */
export interface Case {
  name: string
  request(origin: string, client: number, n: number): Uint8Array
}

const queries = [
  'why did the battery pack overheat',
  'the ferry at the pier',
  'invoice for the new engine',
  'fog on the river',
]

/** Each of `tokens` opens a different namespace. */
export function casesFor(tokens: readonly string[]): Case[] {
  const post = (origin: string, token: string | undefined, path: string, body: object) =>
    httpRequest(origin, {
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${token}`, 'x-svc-scope': 'bench/load' },
      body: JSON.stringify(body),
    })
  const unit = (client: number, n: number) => ({ text: `Entry ${n} of client ${client}: the crane was inspected.` })
  return [
    {
      name: 'search',
      request: (origin, _, n) => post(origin, tokens[0], '/v1/search', { q: queries[n % queries.length], top_k: 10 }),
    },
    {
      name: 'ingest of 1, one namespace',
      request: (origin, client, n) => post(origin, tokens[0], '/v1/ingest', { units: [unit(client, n)] }),
    },
    {
      name: `ingest of 1, ${tokens.length} namespaces`,
      request: (origin, client, n) =>
        post(origin, tokens[client % tokens.length], '/v1/ingest', { units: [unit(client, n)] }),
    },
    {
      name: `ingest of 50, ${tokens.length} namespaces`,
      request: (origin, client, n) =>
        post(origin, tokens[client % tokens.length], '/v1/ingest', {
          units: Array.from({ length: 50 }, (_, i) => unit(client, n * 50 + i)),
        }),
    },
  ]
}
