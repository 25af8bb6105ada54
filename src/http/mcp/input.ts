import { z } from 'zod'
import { badRequest } from '../../errors.ts'
import { planes } from '../../model/unit.ts'
import { isKey, unquoted } from '../idempotency.ts'

/** The arguments of tools. Schemas are closed: an unknown argument is an error that names it. */

const maxTextBytes = 2 ** 20

const text = (max: number) =>
  z.string('must be a string').min(1, 'must not be empty').max(max, `must be at most ${max} characters`)
const label = text(128)
const scope = text(256).describe('A scope path, or `*`. It can only narrow the scope of the connection.')
const question = text(8192)
const key = z
  .string('must be a string')
  .transform(unquoted)
  .refine(isKey, 'must be 1 to 255 visible ASCII characters')
  .optional()
  .meta({
    minLength: 1,
    maxLength: 255,
    description: 'The same call again with the same key has no second effect, for 24 hours.',
  })

const selection = {
  top_k: z.int('must be an integer').min(1, 'must be at least 1').max(50, 'must be at most 50').default(10),
  scope: scope.optional(),
  planes: z
    .array(z.enum(planes, `must be one of ${planes.join(', ')}`))
    .min(1, 'must not be empty')
    .optional(),
  filters: z
    .record(z.string(), z.unknown(), 'must be an object')
    .optional()
    .describe('The filters of POST /v1/search: doc_id, external_id, metadata, modality, created_after and others.'),
  rerank: z.boolean('must be true or false').optional(),
}

export const inputs = {
  search: z.strictObject({
    query: question,
    ...selection,
    min_score: z.number('must be a number').min(0, 'must be at least 0').max(1, 'must be at most 1').optional(),
  }),
  fetch: z.strictObject({ id: text(256).describe("A Unit's id, or the address of its resource.") }),
  answer: z.strictObject({ question, ...selection }),
  whoami: z.strictObject({}),
  list_scopes: z.strictObject({}),
  ingest_text: z.strictObject({
    text: text(maxTextBytes),
    title: text(1024).optional(),
    external_id: label.optional(),
    doc_id: label.optional(),
    scope: scope.optional(),
    acl_groups: z.array(label).max(64, 'must hold at most 64 items').optional(),
    metadata: z.record(z.string(), z.unknown(), 'must be an object').optional(),
    source_uri: text(2048).optional(),
    idempotency_key: key,
  }),
  delete_units: z.strictObject({
    ids: z.array(label, 'must be a list').min(1, 'must not be empty').max(100, 'must hold at most 100 items'),
    hard: z.boolean('must be true or false').default(false),
    scope: scope.optional(),
    idempotency_key: key,
  }),
}

/** Throws a 400 that names the first wrong argument. */
export function readArguments<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const result = schema.safeParse(given ?? {})
  if (result.success) return result.data
  const [issue] = result.error.issues
  const place = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
  if (issue?.code === 'unrecognized_keys')
    throw badRequest(`${issue.keys[0]}: must be left out: the tool has no such argument`)
  const isMissing = issue?.code === 'invalid_type' && issue.input === undefined
  throw badRequest(`${place.replace(/^\./, '') || 'arguments'}: ${isMissing ? 'is required' : issue?.message}`)
}
