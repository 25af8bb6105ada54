import { z } from 'zod'
import { modalities, planes } from '../../model/unit.ts'
import { queriedScope, vector } from '../input/fields.ts'
import { metadataConditions } from '../input/metadata.ts'
import { label, text } from '../input/parse.ts'

const anyOf = <S extends z.ZodType>(value: S) =>
  z.array(value).min(1, 'must not be empty').max(1000, 'must be at most 1000 values').optional()

const position = z.int('must be an integer').min(0, 'must not be negative')

const filters = z.strictObject({
  modality: anyOf(z.enum(modalities)),
  docId: anyOf(label()),
  externalId: anyOf(label()),
  sourceUri: anyOf(label(2048)),
  mime: anyOf(label(255)),
  aclOwner: anyOf(label()),
  createdAfter: z.int('must be an integer').optional(),
  createdBefore: z.int('must be an integer').optional(),
  metadata: metadataConditions.optional(),
  timeRange: z
    .strictObject({ tStartMs: position, tEndMs: position })
    .refine((range) => range.tStartMs <= range.tEndMs, 'must not end before it starts')
    .optional(),
})

const topKProblem = 'must be between 1 and 50'

const queryInput = (answer: z.ZodType<boolean>) =>
  z
    .strictObject({
      q: text(8192),
      topK: z.int(topKProblem).min(1, topKProblem).max(50, topKProblem).default(10),
      planes: z.array(z.enum(planes)).min(1, 'must not be empty').optional(),
      rerank: z.boolean().default(false),
      filters: filters.prefault({}),
      scope: queriedScope.optional(),
      vector: z
        .strictObject({
          text: vector.optional(),
          visual: vector.optional(),
          audio: vector.optional(),
          docVisual: vector.optional(),
        })
        .prefault({})
        .transform(({ docVisual, ...rest }) => ({ ...rest, ...(docVisual && { doc_visual: docVisual }) })),
      answer,
      minScore: z.number().min(0, 'must be between 0 and 1').max(1, 'must be between 0 and 1').default(0),
    })
    .refine(
      (query) => query.q.trim() !== '' || Object.keys(query.vector).length > 0 || Object.keys(query.filters).length > 0,
      { path: ['q'], message: 'must not be empty unless a vector or filters are given' },
    )
    .refine((query) => !query.answer || query.q.trim() !== '', { path: ['q'], message: 'must be the question' })

export const searchInput = queryInput(z.boolean().default(false))
/** The input of `/v1/answer`: it always answers. */
export const answerInput = queryInput(z.literal(true, 'must not be false here').default(true))
