import { z } from 'zod'
import { mapInSlices } from '../../async/pieces.ts'
import { type InputPath, InvalidInputError } from '../../errors.ts'
import type { Metadata } from '../../model/unit.ts'

const rules = new WeakMap<z.core.$ZodType, z.ZodType>()

/** Input that the domain checks later by these rules, separately from the rest: long lists are checked in slices. */
export function checkedLater<S extends z.ZodType>(schema: S) {
  const later = z.custom<z.input<S>>()
  rules.set(later, schema)
  return later
}

/** The rules of input that is checked later; undefined for any other. */
export const laterRules = (schema: z.core.$ZodType): z.ZodType | undefined => rules.get(schema)

/** Checks input by its schema. `place` is the path of the input in the request. Throws InvalidInputError. */
export function parse<S extends z.ZodType>(schema: S, input: unknown, place: InputPath = []): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw invalidInput(result.error, place)
}

/** Checks each item of a list that may be long. */
export const parseItems = <S extends z.ZodType>(schema: S, items: readonly unknown[], place: InputPath) =>
  mapInSlices(items, (item, i) => parse(schema, item, [...place, i]))

/** The first problem that a schema found. */
export function invalidInput({ issues: [issue] }: z.ZodError, place: InputPath = []): InvalidInputError {
  const within = (issue?.path ?? []).map((part) => (typeof part === 'symbol' ? String(part) : part))
  const path = [...place, ...within]
  // The key is part of the path, so that each API spells the field in its own way.
  if (issue?.code === 'unrecognized_keys')
    return new InvalidInputError([...path, ...issue.keys.slice(0, 1)], 'is not allowed here: leave it out')
  return new InvalidInputError(path, issue?.message ?? 'must be valid')
}

/** Text that every store can hold: no NUL, no unpaired surrogate. `max` counts UTF-16 units. */
export const text = (max: number) =>
  z
    .string('must be a string')
    .max(max, `must be at most ${max} characters`)
    .refine((s) => !s.includes('\0') && s.isWellFormed(), 'must not contain NUL or an unpaired surrogate')

/** An identifier or group name. */
export const label = (max = 128) => text(max).min(1, 'must not be empty')

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a number was rounded when it was read: an integer beyond 2^53, or what is too large for f64. */
export const isRounded = (value: unknown): boolean =>
  typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)

export const roundedProblem = 'must have no number beyond 2^53 - 1, which would be rounded: send it as a string'

const max = { keys: 64, levels: 5, leaves: 256, bytes: 16_384 }
const name = label()
const string = text(max.bytes)

interface Problem {
  path: (string | number)[]
  message: string
}

/**
 * The first problem of a value in the metadata. `level` counts the objects around it, and the lists around a list.
 * `leaves` is what is left of the values that the metadata may have.
 */
function problemIn(value: unknown, level: number, leaves: { left: number }): Problem | null {
  if (typeof value !== 'object' || value === null) {
    leaves.left -= 1
    if (isRounded(value)) return { path: [], message: roundedProblem }
    const isText = typeof value === 'string'
    if (isText ? string.safeParse(value).success : value === null || ['number', 'boolean'].includes(typeof value))
      return null
    return { path: [], message: isText ? 'must not contain NUL or an unpaired surrogate' : 'must be a JSON value' }
  }
  if (level > max.levels) return { path: [], message: `must be at most ${max.levels} levels deep` }
  const members = Object.entries(value)
  if (members.length === 0) leaves.left -= 1
  const isList = Array.isArray(value)
  if (!isList) {
    if (members.length > max.keys) return { path: [], message: `must have at most ${max.keys} keys` }
    if (members.some(([key]) => !name.safeParse(key).success || key === '__proto__'))
      return { path: [], message: 'must have keys of 1-128 characters, other than __proto__' }
  }
  for (const [key, one] of members) {
    const isDeeper = isObject(one) || (isList && Array.isArray(one))
    const problem = problemIn(one, isDeeper ? level + 1 : level, leaves)
    if (problem) return { ...problem, path: [isList ? Number(key) : key, ...problem.path] }
    if (leaves.left < 0) return { path: [], message: `must have at most ${max.leaves} values` }
  }
  return null
}

/** A caller's own fields: any JSON within these bounds. It comes back as it was sent. */
export const metadata = z
  .custom<Metadata>(isObject, 'must be an object')
  .meta({ maxProperties: max.keys, scalar: 'Metadata' })
  .superRefine((record, context) => {
    const problem = problemIn(record, 1, { left: max.leaves })
    if (problem) context.addIssue({ code: 'custom', ...problem })
    else if (Buffer.byteLength(JSON.stringify(record)) > max.bytes)
      context.addIssue({ code: 'custom', message: 'must be at most 16 KiB' })
  })
