import { z } from 'zod'
import {
  type Boost,
  isByScore,
  prefixes,
  type QueryImage,
  type QuerySyntax,
  querySyntaxes,
  sortOrders,
} from '../../model/search.ts'
import { planes } from '../../model/unit.ts'
import { language, queriedScope } from '../input/fields.ts'
import { filtersInput } from '../input/filters.ts'
import { label, text } from '../input/parse.ts'
import { decodeBase64, vector } from '../input/vector.ts'
import { ageField, facetField, groupField, sortField } from './unit-fields.ts'

const weightProblem = 'must be between 0 and 100'
export const vectorWeight = z.number(weightProblem).min(0, weightProblem).max(100, weightProblem)

const shareProblem = 'must be between 0 and 1'
const share = z.number().min(0, shareProblem).max(1, shareProblem)
const topKProblem = 'must be between 1 and 50'

const stepsProblem = 'must be between 1 and 8'

const turn = z
  .strictObject({
    q: text(8192).describe('The question.'),
    answer: text(8192).describe('The answer. It is never evidence.'),
  })
  .meta({ title: 'TurnInput', about: 'An earlier question and its answer.' })

/** Bytes. */
const longestImage = 4 * 2 ** 20
const imageProblem = 'must be at most 4 MiB'

const image = z
  .strictObject({
    base64: z
      .string('must be a string')
      .min(1, 'must not be empty')
      .max(Math.ceil(longestImage / 3) * 4, imageProblem)
      .optional()
      .describe('The picture in base64, at most 4 MiB of it.'),
    sourceUri: label(2048).optional().describe('A source that you uploaded, at most 15 MiB.'),
  })
  .transform(({ base64, sourceUri }, context): QueryImage => {
    const refuse = (message: string, path: string[] = []) => {
      context.addIssue({ code: 'custom', message, path })
      return z.NEVER
    }
    if ((base64 === undefined) === (sourceUri === undefined)) return refuse('must have either base64 or a source')
    if (sourceUri !== undefined) return { sourceUri }
    const bytes = decodeBase64(base64 ?? '')
    return bytes === null ? refuse('must be base64', ['base64']) : { bytes: new Uint8Array(bytes) }
  })
  .meta({ title: 'QueryImageInput', about: 'A picture as the query: PNG, JPEG, GIF or WebP. One of the two fields.' })

const sortKey = z
  .strictObject({
    by: sortField.describe('`score`, `created_at`, `updated_at` or `metadata.<path>`.'),
    order: z.enum(sortOrders, 'must be asc or desc').optional().describe('Default: `desc` for `score`, else `asc`.'),
  })
  .transform(({ by, order }) => ({ by, order: order ?? (by === 'score' ? ('desc' as const) : ('asc' as const)) }))
  .meta({ title: 'SortInput', about: 'What hits are sorted by. Units without it come last, then ids decide.' })

const halfLifeProblem = 'must be more than 0 and at most 36,500'
const weightOfBoost = 'must be between .1 and 10'

const boost = z
  .strictObject({
    by: ageField.optional().describe('`created_at`, or `metadata.<path>` with epoch milliseconds or an ISO 8601 date.'),
    halfLifeDays: z
      .number(halfLifeProblem)
      .gt(0, halfLifeProblem)
      .max(36_500, halfLifeProblem)
      .optional()
      .describe('After how many days the score is half.'),
    filter: filtersInput
      .refine((filter) => filter.length > 0, 'must have a condition')
      .optional()
      .describe('What Units must meet to have the weight.'),
    weight: z
      .number(weightOfBoost)
      .min(0.1, weightOfBoost)
      .max(10, weightOfBoost)
      .optional()
      .describe('What multiplies their score.'),
  })
  .transform(({ by, halfLifeDays, filter, weight }, context): Boost => {
    if (filter === undefined && weight === undefined && by !== undefined && halfLifeDays !== undefined)
      return { by, halfLifeDays }
    if (by === undefined && halfLifeDays === undefined && filter !== undefined && weight !== undefined)
      return { filter, weight }
    context.addIssue({ code: 'custom', message: 'must have either by and half_life_days, or filter and weight' })
    return z.NEVER
  })
  .meta({
    title: 'BoostInput',
    about: 'What raises or lowers scores: `by` and `halfLifeDays`, or `filter` and `weight`.',
  })

const facetsProblem = 'must be between 1 and 100'
const offsetProblem = 'must be between 0 and 1,000'
const groupSizeProblem = 'must be between 1 and 5'
const snippetProblem = 'must be between 0 and 2,000'

/** Which hits are returned, in which order and form. An answer takes no account of the first four: it rests on the best hits. */
export const resultFields = {
  offset: z
    .int(offsetProblem)
    .min(0, offsetProblem)
    .max(1000, offsetProblem)
    .default(0)
    .describe('How many hits, or groups, to skip. Pages are stable while nothing changes.'),
  groupBy: groupField
    .optional()
    .describe(
      '`doc_id` or `metadata.<path>`: then hits are the best of each group, and `topK` and `offset` count groups.',
    ),
  groupSize: z
    .int(groupSizeProblem)
    .min(1, groupSizeProblem)
    .max(5, groupSizeProblem)
    .default(1)
    .describe('How many hits of a group.'),
  sort: z
    .array(sortKey)
    .max(3, 'must have at most 3 keys')
    .refine((keys) => new Set(keys.map(({ by }) => by)).size === keys.length, 'must not repeat a field')
    .default([])
    .describe(
      'By another field than `score`, the query selects all that it finds, and the order is that of the field.',
    ),
  boost: z
    .array(boost)
    .max(5, 'must have at most 5 boosts')
    .default([])
    .describe('Multiplies the fused scores of hits, which stay below 1; `explain` says by what.'),
  facets: z
    .array(facetField)
    .max(8, 'must be at most 8 fields')
    .refine((fields) => new Set(fields).size === fields.length, 'must not repeat a value')
    .default([])
    .describe(
      'Counts values of what is found: of `plane`, `modality`, `scope`, `doc_id`, `mime`, `created_at`, `metadata.<path>`.',
    ),
  facetsLimit: z
    .int(facetsProblem)
    .min(1, facetsProblem)
    .max(100, facetsProblem)
    .default(20)
    .describe('How many values of each.'),
  snippetLength: z
    .int(snippetProblem)
    .min(0, snippetProblem)
    .max(2000, snippetProblem)
    .default(0)
    .describe('Adds to each hit the part of its text that matches best, of this many characters. 0: none.'),
}

const queryInput = (answer: z.ZodType<boolean>, syntax: QuerySyntax) =>
  z
    .strictObject({
      q: text(8192)
        .optional()
        .transform((q = '') => q)
        .describe('The query. It may only be empty with `similarTo`, `image`, `vector` or `filters`.'),
      similarTo: z
        .strictObject({ unitId: label().describe('Its id.') })
        .meta({ title: 'SimilarToInput', about: 'A Unit that hits should be like.' })
        .optional()
        .describe(
          'Instead of `q`: a Unit that the caller may read. Hits have its words or are near its vectors; it is left out itself.',
        ),
      querySyntax: z
        .enum(querySyntaxes)
        .default(syntax)
        .describe(
          '`web`: a hit has each `"phrase"` of `q`, and nothing of `-word` and `-"phrase"`. `plain`: `q` is text. Default: `web` for a search, `plain` for an answer.',
        ),
      prefix: z
        .enum(prefixes)
        .default('none')
        .describe('`last`: the last word of `q` stands for the words that begin with it, too.'),
      image: image
        .optional()
        .describe(
          'A picture to find pictures like it, beside `q` or alone. It counts in the planes whose model reads pictures; 400 where none does.',
        ),
      language: language
        .optional()
        .describe(
          'Of the query, as a BCP 47 tag. Default: detected. Words match texts of every language by their stems.',
        ),
      topK: z.int(topKProblem).min(1, topKProblem).max(50, topKProblem).default(10).describe('How many hits.'),
      planes: z
        .array(z.enum(planes))
        .min(1, 'must not be empty')
        .optional()
        .describe('Planes to search. Default: all. Planes that are not enabled are left out.'),
      rerank: z.boolean().default(false).describe('Whether to rerank. Ignored if the tier does not include it.'),
      filters: filtersInput.prefault({}).describe('Conditions on Units.'),
      scope: queriedScope
        .optional()
        .describe('The scope to search, unless header or query name one; `*` is all allowed.'),
      vector: z
        .strictObject({
          text: vector.optional().describe('For the plane `text`.'),
          visual: vector.optional().describe('For the plane `visual`.'),
          audio: vector.optional().describe('For the plane `audio`.'),
          docVisual: vector.optional().describe('For the plane `doc_visual`.'),
        })
        .meta({ title: 'QueryVectorsInput', about: "The caller's own query embeddings, by plane." })
        .prefault({})
        .transform(({ docVisual, ...rest }) => ({ ...rest, ...(docVisual && { doc_visual: docVisual }) }))
        .describe('Your own query embeddings.'),
      answer: answer.describe('Whether to add an answer from the hits. Not every tier includes answers.'),
      agentic: z.boolean().default(true).describe('Whether an answer may search in several steps.'),
      maxSteps: z
        .int(stepsProblem)
        .min(1, stepsProblem)
        .max(8, stepsProblem)
        .default(4)
        .describe('How many searches an answer may make, with the first.'),
      history: z
        .array(turn)
        .max(10, 'must have at most 10 turns')
        .optional()
        .describe('Earlier turns, oldest first. They only help an answer to understand the question.'),
      diversity: share
        .default(0)
        .describe(
          'How much the hits should differ from each other: hits are chosen from the best 50, and `score` no longer falls from hit to hit. 0 is by score alone.',
        ),
      vectorWeight: vectorWeight
        .optional()
        .describe('The weight of vectors in the fusion, instead of the default or that of their model.'),
      minConfidence: share
        .optional()
        .describe('Withholds an answer that is less likely to be right. By default the writer decides.'),
      minScore: share.default(0).describe('Leaves out hits with a lower score.'),
      ...resultFields,
    })
    .refine(
      ({ q, image, vector, filters, similarTo }) =>
        q.trim() !== '' ||
        image !== undefined ||
        similarTo !== undefined ||
        Object.keys(vector).length > 0 ||
        filters.length > 0,
      { path: ['q'], message: 'must not be empty without a Unit, an image, a vector or filters' },
    )
    .refine(
      ({ q, image, vector, similarTo }) =>
        similarTo === undefined || (q.trim() === '' && image === undefined && Object.keys(vector).length === 0),
      { path: ['similarTo'], message: 'must not be there with q, an image or a vector' },
    )
    .refine((query) => !query.answer || query.q.trim() !== '', { path: ['q'], message: 'must be the question' })
    .refine(({ groupBy, groupSize }) => groupBy !== undefined || groupSize === 1, {
      path: ['groupSize'],
      message: 'must be 1 without groups',
    })
    .refine(({ sort, rerank }) => !rerank || isByScore(sort), {
      path: ['rerank'],
      message: 'must not be true where hits are not sorted by score',
    })
    .refine(({ sort, groupBy, diversity }) => diversity === 0 || (isByScore(sort) && groupBy === undefined), {
      path: ['diversity'],
      message: 'must not be there with groups, or where hits are not sorted by score',
    })
    .meta({ title: 'SearchInput', about: 'A search query.' })

export const searchInput = queryInput(z.boolean().default(false), 'web')
/** The input of `/v1/answer`: it always answers. */
export const answerInput = queryInput(z.literal(true, 'must not be false here').default(true), 'plain')
