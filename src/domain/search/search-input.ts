import { z } from 'zod'
import { planes } from '../../model/unit.ts'
import { language, queriedScope } from '../input/fields.ts'
import { filtersInput } from '../input/filters.ts'
import { text } from '../input/parse.ts'
import { vector } from '../input/vector.ts'

const weightProblem = 'must be between 0 and 100'
export const vectorWeight = z.number(weightProblem).min(0, weightProblem).max(100, weightProblem)

const shareProblem = 'must be between 0 and 1'
const share = z.number().min(0, shareProblem).max(1, shareProblem)
const topKProblem = 'must be between 1 and 50'

const stepsProblem = 'must be between 1 and 8'

const queryInput = (answer: z.ZodType<boolean>) =>
  z
    .strictObject({
      q: text(8192),
      language: language.optional(),
      topK: z.int(topKProblem).min(1, topKProblem).max(50, topKProblem).default(10),
      planes: z.array(z.enum(planes)).min(1, 'must not be empty').optional(),
      rerank: z.boolean().default(false),
      filters: filtersInput.prefault({}),
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
      agentic: z.boolean().default(true),
      maxSteps: z.int(stepsProblem).min(1, stepsProblem).max(8, stepsProblem).default(4),
      history: z
        .array(z.strictObject({ q: text(8192), answer: text(8192) }))
        .max(10, 'must have at most 10 turns')
        .optional(),
      diversity: share.default(0),
      vectorWeight: vectorWeight.optional(),
      minConfidence: share.optional(),
      minScore: share.default(0),
    })
    .refine(
      (query) => query.q.trim() !== '' || Object.keys(query.vector).length > 0 || Object.keys(query.filters).length > 0,
      { path: ['q'], message: 'must not be empty unless a vector or filters are given' },
    )
    .refine((query) => !query.answer || query.q.trim() !== '', { path: ['q'], message: 'must be the question' })

export const searchInput = queryInput(z.boolean().default(false))
/** The input of `/v1/answer`: it always answers. */
export const answerInput = queryInput(z.literal(true, 'must not be false here').default(true))
