import type { CallOptions, TestApp } from './boot.ts'
import type { Outcome } from './mutations.ts'

const report = `report { evals { metric mean low high queries } benchmarks { operation p50Ms p95Ms queries } queries degraded }`
const run = `run { id principalId scope answers rerank total asked ${report} startedAt finishedAt publishedAt }`

/** Golden queries and the operations on them, over GraphQL. */
export function evaluationsOf(app: TestApp) {
  const ask = async (field: string, query: string, variables: object, options: CallOptions): Promise<Outcome> => {
    const { body } = await app.graphql(query, { ...variables }, options)
    const [error] = body.errors ?? []
    if (!error) return { data: body.data[field], error: null }
    const { status, code } = error.extensions
    return { data: null, error: { status, code, detail: error.message } }
  }
  const evaluate = (variables: object, options: CallOptions) =>
    ask(
      'evaluate',
      `mutation ($run: String, $answers: Boolean, $rerank: Boolean, $limit: Int) {
        evaluate(run: $run, answers: $answers, rerank: $rerank, limit: $limit) {
          ${run} scores { goldenQueryId values { metric value } degraded } } }`,
      variables,
      options,
    )
  return {
    create: (queries: readonly object[], options: CallOptions) =>
      ask(
        'createGoldenQueries',
        'mutation ($queries: [GoldenQueryInput!]!) { createGoldenQueries(queries: $queries) { ids created updated } }',
        { queries },
        options,
      ),
    remove: (ids: readonly string[], options: CallOptions) =>
      ask(
        'deleteGoldenQueries',
        'mutation ($ids: [String!]!) { deleteGoldenQueries(ids: $ids) { deleted } }',
        { ids },
        options,
      ),
    list: (page: object, options: CallOptions) =>
      ask(
        'goldenQueries',
        `query ($limit: Int, $cursor: SafeInt) { goldenQueries(limit: $limit, cursor: $cursor) {
          queries { id q scope expectedUnitIds expectedExternalIds expectedAnswers createdAt } count nextCursor } }`,
        page,
        options,
      ),
    runs: (options: CallOptions, cursor = 0) =>
      ask(
        'evaluationRuns',
        `query ($cursor: SafeInt) { evaluationRuns(cursor: $cursor) {
          runs { id principalId asked total ${report} publishedAt } count nextCursor } }`,
        { cursor },
        options,
      ),
    publish: (variables: object, options: CallOptions) =>
      ask(
        'publishReport',
        `mutation ($run: String!, $serviceWide: Boolean) { publishReport(run: $run, serviceWide: $serviceWide) {
          evals { metric mean } generatedAt } }`,
        variables,
        options,
      ),
    evaluate,
    /** Runs an evaluation from start to end. */
    finish: async (variables: object, options: CallOptions) => {
      let { data, error } = await evaluate(variables, options)
      const scores = [...(data?.scores ?? [])]
      while (!error && data.run.report === null) {
        ;({ data, error } = await evaluate({ run: data.run.id }, options))
        scores.push(...(data?.scores ?? []))
      }
      if (error) throw new Error(`evaluate: ${JSON.stringify(error)}`)
      return { run: data.run, scores }
    },
  }
}
