import { z } from 'zod'
import { queriedScope, uniqueList } from '../input/fields.ts'
import { checkedLater, label, text } from '../input/parse.ts'
import { vectorWeight } from '../search/search-input.ts'
import { hasWord } from './score-query.ts'

/** Maximum golden queries of a namespace. */
export const maxQueries = 1000

export const goldenQuery = z
  .strictObject({
    q: text(8192)
      .refine((q) => q.trim() !== '', 'must not be empty')
      .describe('The query.'),
    scope: queriedScope.optional().describe('The scope to search, a path or `*`, unless the run requests one.'),
    expectedUnitIds: uniqueList(label(), 100)
      .default([])
      .describe(
        'Ids of the Units that it should find. They are not checked: an unknown or hidden Unit counts as not found.',
      ),
    expectedExternalIds: uniqueList(label(), 100)
      .default([])
      .describe(
        'External ids of the Units that it should find. If several Units have the same external id, any of them counts.',
      ),
    expectedAnswers: uniqueList(text(2000).refine(hasWord, 'must contain a word'), 10)
      .default([])
      .describe('Expected answers. An answer should contain one of them.'),
  })
  .refine(
    (query) => query.expectedUnitIds.length + query.expectedExternalIds.length + query.expectedAnswers.length > 0,
    'must expect at least one Unit or answer',
  )
  .meta({ title: 'GoldenQueryInput', about: 'A golden query. It expects at least one Unit or answer.' })

export const goldenInput = z.strictObject({
  queries: z
    .array(checkedLater(goldenQuery), 'must be a list')
    .min(1, 'must not be empty')
    .max(maxQueries, `must be at most ${maxQueries} queries`)
    .describe('The queries.'),
})

export type GoldenInput = z.output<typeof goldenInput>

export const goldenIds = z.strictObject({
  ids: uniqueList(label(), maxQueries).min(1, 'must not be empty').describe('Their ids.'),
})

const limitProblem = 'must be between 1 and 100'
export const evaluateInput = z
  .strictObject({
    run: label()
      .optional()
      .describe('The run to continue, which the caller must have started. Without it, a new run starts.'),
    answers: z
      .boolean()
      .optional()
      .describe('Whether to include answers. Only for a new run. By default, if the tier includes answers.'),
    rerank: z.boolean().optional().describe('Whether to use reranking. Only for a new run.'),
    vectorWeight: vectorWeight
      .optional()
      .describe(
        'The weight of vectors in the fusion during this call, instead of the default or that of their model. Send the same in each call of a run.',
      ),
    limit: z
      .int(limitProblem)
      .min(1, limitProblem)
      .max(100, limitProblem)
      .default(20)
      .describe('Maximum number of queries in this call. It stops after 5 s.'),
  })
  .refine(({ run, answers }) => run === undefined || answers === undefined, {
    path: ['answers'],
    message: 'may only be sent at the beginning of a run, without run',
  })
  .refine(({ run, rerank }) => run === undefined || rerank === undefined, {
    path: ['rerank'],
    message: 'may only be sent at the beginning of a run, without run',
  })
export type EvaluateInput = z.output<typeof evaluateInput>

export const publishInput = z.strictObject({
  run: label().describe('The id of the run.'),
  serviceWide: z
    .boolean()
    .default(false)
    .describe('Whether to publish it in all namespaces without a report of their own. Only the super-admin may.'),
})
export type PublishInput = z.output<typeof publishInput>
