import { z } from 'zod'
import { modalities } from '../../model/unit.ts'
import { label, text } from './parse.ts'

const scalar = z.union([text(16_384), z.number(), z.boolean()])

const name = label()

const maxKeys = 64

/**
 * Whether a value, a list or a range has a number that was rounded when it was read: integers beyond 2^53, and what is
 * too large for f64.
 */
const isRounded = (value: unknown): boolean =>
  typeof value === 'number'
    ? !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    : typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((v) => typeof v === 'number' && isRounded(v))

const roundedProblem = 'must have no number beyond 2^53 - 1, which would be rounded: send it as a string'

/** A record of which only its own keys count: `__proto__` is data like any other key, never a prototype. */
const flatRecord = <V extends z.ZodType>(scalar: 'Metadata' | 'JSON', value: V) =>
  z
    .custom<Record<string, unknown>>(
      (v) => typeof v === 'object' && v !== null && !Array.isArray(v),
      'must be an object',
    )
    .meta({ maxProperties: maxKeys, scalar })
    .transform((record, context): Record<string, z.output<V>> => {
      const entries = Object.entries(record)
      if (entries.length > maxKeys) context.addIssue({ code: 'custom', message: `must have at most ${maxKeys} keys` })
      const parsed = entries.map(([key, raw]) => {
        const named = name.safeParse(key)
        if (!named.success || key === '__proto__')
          context.addIssue({ code: 'custom', message: 'must have keys of 1-128 characters, other than __proto__' })
        const result = value.safeParse(raw)
        if (isRounded(raw)) context.addIssue({ code: 'custom', path: [key], message: roundedProblem })
        else if (!result.success) {
          context.addIssue({ code: 'custom', path: [key], message: result.error.issues[0]?.message ?? 'must be valid' })
        }
        return [key, result.data as z.output<V>] as const
      })
      return Object.fromEntries(parsed)
    })

const valueProblem = 'must be a string, a number, a boolean or a list of strings'

export const metadata = flatRecord('Metadata', z.union([scalar, z.array(text(16_384))], valueProblem)).refine(
  (record) => Buffer.byteLength(JSON.stringify(record)) <= 16_384,
  'must be at most 16 KiB',
)

const range = z
  .strictObject({ gte: z.number().optional(), lte: z.number().optional() })
  .refine((r) => r.gte !== undefined || r.lte !== undefined)

export const metadataConditions = flatRecord(
  'JSON',
  z.union([scalar, z.array(scalar).min(1).max(100), range], 'must be a value, a list of values, or {gte, lte}'),
)

const anyOf = <S extends z.ZodType>(value: S) =>
  z.array(value).min(1, 'must not be empty').max(1000, 'must be at most 1000 values').optional()

const position = z.int('must be an integer').min(0, 'must not be negative')

/** Conditions on Units; all of those present must hold. */
export const filtersInput = z
  .strictObject({
    modality: anyOf(z.enum(modalities)).describe('Modalities.'),
    docId: anyOf(label()).describe('Documents.'),
    externalId: anyOf(label()).describe("The writers' own ids."),
    sourceUri: anyOf(label(2048)).describe('Raw sources.'),
    mime: anyOf(label(255)).describe('Content types.'),
    aclOwner: anyOf(label()).describe('Owners.'),
    createdAfter: z.int('must be an integer').optional().describe('Epoch milliseconds, inclusive.'),
    createdBefore: z.int('must be an integer').optional().describe('Epoch milliseconds, inclusive.'),
    metadata: metadataConditions.optional().describe('`{key: value | [values] | {gte, lte}}`.'),
    timeRange: z
      .strictObject({
        tStartMs: position.describe('First millisecond.'),
        tEndMs: position.describe('Last millisecond.'),
      })
      .refine((range) => range.tStartMs <= range.tEndMs, 'must not end before it starts')
      .meta({ title: 'TimeRangeInput', about: 'Units whose `time_range` locator overlaps this one.' })
      .optional()
      .describe('Time range that must overlap.'),
  })
  .meta({
    title: 'SearchFiltersInput',
    about: 'Conditions that must all match. A list matches if any of its values does.',
  })
