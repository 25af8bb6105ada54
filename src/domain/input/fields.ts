import { z } from 'zod'
import { canonicalLanguage } from '../../model/language.ts'
import { maxPathLength, scopePathPattern, scopePatternPattern } from '../../model/registry.ts'
import { isPersonal } from '../../model/unit.ts'
import { label, text } from './parse.ts'

const badPattern = 'must be a scope path such as acme/backend, or *'

export const scopePath = label(maxPathLength).regex(scopePathPattern, 'must be a scope path such as acme/backend')

export const scopePattern = label(maxPathLength).regex(scopePatternPattern, badPattern)

/** The same for the scope of a query. */
export const queriedScope = z.string(badPattern).max(maxPathLength, badPattern).regex(scopePatternPattern, badPattern)

const unique = (values: readonly string[]) => new Set(values).size === values.length

/** A list without duplicates. */
export const uniqueList = <T extends z.ZodType<string>>(item: T, max: number) =>
  z
    .array(item)
    .max(max, `must be at most ${max} values`)
    .refine(unique, 'must not repeat a value')
    .meta({ uniqueItems: true })

/** A group that a principal can be put into: each has `user:<id>` to itself. */
export const groupName = label().refine((name) => !isPersonal(name), 'must not begin with user:')

export const groupList = uniqueList(groupName, 64).default([])

const badLanguage = 'must be a BCP 47 language tag such as de or pt-BR'

/** A language tag in its canonical form. */
export const language = z
  .string(badLanguage)
  .regex(/^([A-Za-z]{2,3}|[A-Za-z]{5,8})(-[A-Za-z0-9]{1,8}){0,7}$/, badLanguage)
  .refine((tag) => canonicalLanguage(tag) !== null, badLanguage)
  .transform((tag) => canonicalLanguage(tag) ?? tag)

/** An e-mail address, in lower case. */
export const email = text(254)
  .min(3, 'must be at least 3 characters')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .transform((address) => address.toLowerCase())

/** The readable part of a token. */
export const tokenName = text(32).regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1-32 characters of A-Z, a-z, 0-9 and -')

/** The id of a record in a registry. */
export const idInput = (description = 'The id.') => z.strictObject({ id: label().describe(description) })
