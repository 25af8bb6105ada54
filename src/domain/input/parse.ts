import { z } from 'zod'
import { type InputPath, InvalidInputError } from '../../errors.ts'
import { mapInSlices } from '../../slices/slices.ts'

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
