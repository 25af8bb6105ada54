import { route } from '../route.ts'

const report = /* GraphQL */ `query {
  body: benchmarkReport {
    benchmarks {
      operation
      p50_ms: p50Ms
      p95_ms: p95Ms
      queries
    }
    evals {
      metric
      mean
      low
      high
      queries
    }
    generated_at: generatedAt
  }
}`

export const getBenchmarks = route('GET', '/v1/benchmarks', report)

/** The contract has both; their answers are equal. */
export const getEval = route('GET', '/v1/eval', report)
