import { z } from 'zod'
import { scopePath, uniqueList } from '../input/fields.ts'
import { label, text } from '../input/parse.ts'
import { hasWord } from './metrics.ts'

/** Golden queries of a namespace. */
export const mostQueries = 1000

export const goldenQuery = z
  .strictObject({
    q: text(8192).refine((q) => q.trim() !== '', 'must not be empty'),
    scope: z.union([z.literal('*'), scopePath], 'not a valid scope path').optional(),
    expectedUnitIds: uniqueList(label(), 100).default([]),
    expectedExternalIds: uniqueList(label(), 100).default([]),
    expectedAnswers: uniqueList(text(2000).refine(hasWord, 'must hold a word'), 10).default([]),
  })
  .refine(
    (query) => query.expectedUnitIds.length + query.expectedExternalIds.length + query.expectedAnswers.length > 0,
    'must expect a Unit or an answer',
  )

/** The queries; they are validated one by one, by `goldenQuery`. */
export const goldenInput = z.strictObject({
  queries: z
    .array(z.unknown(), 'must be a list')
    .min(1, 'must not be empty')
    .max(mostQueries, `must be at most ${mostQueries}`),
})

export const goldenIds = z.strictObject({
  ids: uniqueList(label(), mostQueries).min(1, 'must not be empty'),
})
