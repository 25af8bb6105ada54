import { z } from 'zod'
import { checkedLater } from '../input/checked-later.ts'
import { queriedScope, uniqueList } from '../input/fields.ts'
import { label, text } from '../input/parse.ts'
import { vectorWeight } from '../search/search-input.ts'
import { hasWord } from './score-query.ts'

/** Maximum golden queries of a namespace. */
export const maxQueries = 1000

export const goldenQuery = z
  .strictObject({
    q: text(8192).refine((q) => q.trim() !== '', 'must not be empty'),
    scope: queriedScope.optional(),
    expectedUnitIds: uniqueList(label(), 100).default([]),
    expectedExternalIds: uniqueList(label(), 100).default([]),
    expectedAnswers: uniqueList(text(2000).refine(hasWord, 'must contain a word'), 10).default([]),
  })
  .refine(
    (query) => query.expectedUnitIds.length + query.expectedExternalIds.length + query.expectedAnswers.length > 0,
    'must expect at least one Unit or answer',
  )

export const goldenInput = z.strictObject({
  queries: z
    .array(checkedLater(goldenQuery), 'must be a list')
    .min(1, 'must not be empty')
    .max(maxQueries, `must be at most ${maxQueries} queries`),
})

export type GoldenInput = z.output<typeof goldenInput>

export const goldenIds = z.strictObject({
  ids: uniqueList(label(), maxQueries).min(1, 'must not be empty'),
})

const limitProblem = 'must be between 1 and 100'
export const evaluateInput = z
  .strictObject({
    run: label().optional(),
    answers: z.boolean().optional(),
    rerank: z.boolean().optional(),
    vectorWeight: vectorWeight.optional(),
    limit: z.int(limitProblem).min(1, limitProblem).max(100, limitProblem).default(20),
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

export const publishInput = z.strictObject({ run: label(), serviceWide: z.boolean().default(false) })
export type PublishInput = z.output<typeof publishInput>
