import { route } from '../route.ts'

export const getStats = route(
  'GET',
  '/v1/catalog/stats',
  /* GraphQL */ `query {
    body: catalogStats {
      namespace
      scope
      planes { plane model dims metric vectors indexed lag health }
      queries_per_day: queriesPerDay
      storage { object_store_gb: objectStoreGb catalog_rows: catalogRows vectors }
    }
  }`,
)

export const getCompaction = route(
  'GET',
  '/v1/compaction',
  /* GraphQL */ `query { body: compaction { namespace planes { plane indexed pending lag health } } }`,
)

export const runCompaction = route(
  'POST',
  '/v1/compaction',
  /* GraphQL */ `mutation ($input: CompactInput) {
    body: compact(input: $input) { planes { plane added removed unchanged took_ms: tookMs } seq }
  }`,
  ({ body }) => ({ input: body }),
  { body: 'optional' },
)

export const runSeed = route(
  'POST',
  '/v1/admin/seed',
  /* GraphQL */ `mutation {
    body: seed {
      principals { principal_id: principalId namespace tier scope perms groups read_only: readOnly }
      scopes
      tokens
      counts
    }
  }`,
  ({ body }) => body,
  { auth: 'optional', body: 'optional', ownOrigin: true },
)
