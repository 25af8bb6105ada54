import { compactionInput, resetVectorsInput } from '../domain/indexing/compaction-input.ts'
import { administers, type Operation, reads } from './operation.ts'

export const indexes = {
  catalogStats: {
    kind: 'query',
    description: 'Statistics of the whole namespace.',
    needs: null,
    reach: 'clamped',
    rest: {
      route: 'GET /v1/catalog/stats',
      answer: `namespace scope planes { plane model dims metric vectors indexed lag health } queries_per_day
      storage { object_store_gb catalog_rows vectors }`,
    },
  },
  compaction: {
    kind: 'query',
    description: 'Index freshness. Needs `read`.',
    needs: reads,
    reach: 'clamped',
    rest: { route: 'GET /v1/compaction', answer: 'namespace planes { plane indexed pending lag health }' },
  },
  compact: {
    kind: 'mutation',
    description:
      'Adds what the indexes lack of the catalog, and removes what the catalog no longer has. Needs an admin principal.',
    input: compactionInput.prefault({}).describe('What to reconcile.'),
    needs: administers,
    reach: 'planes',
    weight: 500,
    rest: {
      route: 'POST /v1/compaction',
      answer: 'planes { plane added removed unchanged took_ms } seq',
      body: 'optional',
      example: { planes: ['text'] },
    },
  },
  resetVectors: {
    kind: 'mutation',
    description:
      "Removes the vectors that callers sent for a plane (model `own`) from all of its Units, which are embedded by the plane's model instead. Then the plane's dimensions are free again. Needs an admin principal.",
    args: resetVectorsInput,
    needs: administers,
    reach: 'planes',
    weight: 500,
  },
} satisfies Record<string, Operation>
