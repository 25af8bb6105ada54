import { evaluateInput, goldenIds, goldenInput, publishInput } from '../domain/evaluation/evaluation-input.ts'
import { pageInput } from '../domain/input/page.ts'
import { administers, type Operation } from './operation.ts'

const report = 'benchmarks { operation p50_ms p95_ms queries } evals { metric mean low high queries } generated_at'

export const evaluation = {
  benchmarkReport: {
    kind: 'query',
    description:
      'The last report that the namespace published, otherwise that of the service, otherwise an empty one. Everyone in the namespace may read it.',
    needs: null,
    reach: 'clamped',
    // The contract has both; their answers are equal.
    rest: [
      { route: 'GET /v1/benchmarks', answer: report },
      { route: 'GET /v1/eval', answer: report },
    ],
  },
  publishReport: {
    kind: 'mutation',
    description: 'Publishes the report of a finished run in the namespace. Needs an admin principal.',
    args: publishInput,
    needs: administers,
    reach: 'namespace',
  },
  goldenQueries: {
    kind: 'query',
    description: 'The golden queries of the namespace. Needs an admin principal.',
    args: pageInput('Offset from the oldest.'),
    needs: administers,
    reach: 'namespace',
  },
  createGoldenQueries: {
    kind: 'mutation',
    description:
      'Writes golden queries, all or none. An existing query with the same `q` and `scope` is replaced. A namespace may have at most 1,000. Needs an admin principal.',
    args: goldenInput,
    needs: administers,
    reach: 'namespace',
  },
  deleteGoldenQueries: {
    kind: 'mutation',
    description: 'Deletes golden queries. Unknown ids are ignored. Needs an admin principal.',
    args: goldenIds,
    needs: administers,
    reach: 'namespace',
  },
  evaluationRuns: {
    kind: 'query',
    description:
      'The runs of the namespace, newest first: the last 100, and older ones whose report is published. Needs an admin principal.',
    args: pageInput('Offset from the newest.'),
    needs: administers,
    reach: 'namespace',
  },
  evaluate: {
    kind: 'mutation',
    description:
      "Runs golden queries as the caller, with the caller's access. The first call starts a run. Further calls with `run` continue it until it has a `report`. An interrupted run can be continued. Needs an admin principal with `read`.",
    args: evaluateInput,
    needs: administers,
    reach: 'namespace',
    weight: 500,
  },
} satisfies Record<string, Operation>
