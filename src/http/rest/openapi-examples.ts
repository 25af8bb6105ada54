import type { Route } from './route.ts'

/** A body for each route that takes JSON. A test sends all of them, in this order, to one namespace. */
const bodies: Readonly<Record<string, object>> = {
  'POST /v1/scopes': { scope: 'harbour' },
  'POST /v1/ingest': {
    units: [
      {
        scope: 'harbour',
        text: 'The lighthouse keeper lights the lamp at dusk.',
        external_id: 'log-1',
        doc_id: 'log',
        acl_groups: ['*'],
        metadata: { year: 1907 },
      },
    ],
  },
  'POST /v1/search': { q: 'who lights the lamp?', top_k: 5, filters: { metadata: { year: { gte: 1900 } } } },
  'POST /v1/answer': { q: 'who lights the lamp?' },
  'POST /v1/compaction': { planes: ['text'] },
  'POST /v1/units:delete': { filter: { doc_id: 'log' } },
  'POST /v1/principals': { name: 'Crawler', kind: 'service', groups: ['crew'] },
  'POST /v1/grants': { principal_id: 'ada', scope: 'harbour', perms: ['read'], groups: ['crew'] },
  'POST /v1/namespaces': { namespace: 'lighthouse' },
  'POST /v1/billing/checkout': { tier: 'pro', cadence: 'monthly' },
}

/** A body that the route accepts; undefined if it takes none. */
export const exampleOf = ({ method, path }: Route): object | undefined => bodies[`${method} ${path}`]
