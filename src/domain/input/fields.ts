import { z } from 'zod'
import { maxPathLength, scopePathPattern, scopePatternPattern } from '../../model/scope-path.ts'
import { label, text } from './parse.ts'

const badPath = 'not a valid scope path'

export const scopePath = label(maxPathLength).regex(scopePathPattern, badPath)

export const scopePattern = label(maxPathLength).regex(scopePatternPattern, 'must be a scope path or *')

/** The same for the scope of a query. */
export const queriedScope = z.string(badPath).max(maxPathLength, badPath).regex(scopePatternPattern, badPath)

const unique = (values: readonly string[]) => new Set(values).size === values.length

/** A list without duplicates. */
export const uniqueList = <T extends z.ZodType<string>>(item: T, max: number) =>
  z.array(item).max(max, `must be at most ${max}`).refine(unique, 'must not repeat').meta({ uniqueItems: true })

export const groupList = uniqueList(label(), 64).default([])

/** The readable part of a token. */
export const tokenName = text(32).regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1-32 of A-Z, a-z, 0-9 and -')

/** The id of a record in a registry. */
export const idInput = z.strictObject({ id: label() })

/** A loop, because `every` creates an object for each of a batch's many numbers. */
function allFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false
  return true
}

const maxDims = 4096

export const vector = z
  .custom<Float32Array>(
    (v) => v instanceof Float32Array && v.length > 0 && v.length <= maxDims && allFinite(v),
    `must be 1 to ${maxDims} finite numbers`,
  )
  .meta({ minItems: 1, maxItems: maxDims })
