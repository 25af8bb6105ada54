import { z } from 'zod'
import { embedInput } from '../domain/embedding/embed-input.ts'
import { answerInput, resultFields, searchInput } from '../domain/search/search-input.ts'
import { searchAsInput } from '../domain/view-as/view-as-input.ts'
import { prefixes, querySyntaxes } from '../model/search.ts'
import {
  administers,
  answerEvents,
  anything,
  found,
  hitFacts,
  label,
  notice,
  type Operation,
  onWire,
  question,
  reads,
  selection,
  text,
} from './operation.ts'

const image = z
  .strictObject({ base64: text(4 * 2 ** 20).optional(), source_uri: text(2048).optional() })
  .optional()
  .describe('A picture beside the words: in base64, or a source that you uploaded.')

export const search = {
  search: {
    kind: 'query',
    description: 'Hybrid search over the allowed scopes and planes. Needs `read`.',
    input: searchInput.describe('The query.'),
    needs: reads,
    reach: 'clamped',
    weight: 50,
    rest: {
      route: 'POST /v1/search',
      answer: 'hits answer facets? trace context hidden_by_acl',
      example: { q: 'who lights the lamp?', top_k: 5, filters: { metadata: { year: { gte: 1900 } } } },
    },
    tool: {
      name: 'search',
      title: 'Search',
      description: `Finds Units of text, pictures, sound and pages by meaning and by words. ${notice}`,
      input: z
        .strictObject({
          query: question.optional(),
          similar_to: z
            .strictObject({ unit_id: label })
            .optional()
            .describe('Instead of `query`: finds what is like this Unit.'),
          image: image.describe(
            'A picture beside `query`, or instead of it: in base64, or a source that you uploaded.',
          ),
          ...selection,
          query_syntax: z.enum(querySyntaxes).default('web'),
          prefix: z.enum(prefixes).default('none'),
          min_score: z.number('must be a number').min(0, 'must be at least 0').max(1, 'must be at most 1').optional(),
          ...onWire(resultFields),
          boost: z
            .array(anything)
            .max(5, 'must have at most 5 boosts')
            .optional()
            .describe(resultFields.boost.description ?? ''),
        })
        .refine((asked) => [asked.query, asked.similar_to, asked.image].some((one) => one !== undefined), {
          path: ['query'],
          message: 'is required without an image or similar_to',
        }),
      output: z.object(found),
      answer: hitFacts,
    },
  },
  answer: {
    kind: 'query',
    description: 'A search with an answer from its hits, with citations. Not every tier includes it. Needs `read`.',
    asSubscription:
      'The same as the query `answer`, as it is made. Sentences come as they stand in the finished answer. Needs `read`.',
    input: answerInput.describe('The question.'),
    needs: reads,
    reach: 'clamped',
    weight: 200,
    rest: {
      route: 'POST /v1/answer',
      answer: 'answer hits facets? trace context hidden_by_acl',
      events: answerEvents('answer hits facets? trace context hidden_by_acl'),
      example: { q: 'who lights the lamp?' },
    },
    tool: {
      name: 'answer',
      title: 'Answer',
      description: `Answers a question from the Units that are found, with citations. ${notice}`,
      input: z.strictObject({ question, image, ...selection }),
      output: z.object({ answer: anything, ...found }),
      answer: `${hitFacts} answer`,
    },
  },
  embed: {
    kind: 'query',
    description: 'Vectors of texts, by the model that the plane `text` is searched with. Needs `read`.',
    args: embedInput,
    needs: reads,
    reach: 'clamped',
    weight: 50,
  },
  searchAs: {
    kind: 'query',
    description:
      'What a principal finds, as far as the caller may read it too: scores, ranks and counts come from the Units that both may read. Audited as `access.view_as`. Needs an admin principal.',
    args: searchAsInput,
    needs: administers,
    reach: 'clamped',
    weight: 50,
  },
} satisfies Record<string, Operation>
