import { z } from 'zod'
import { isScopePath, type ScopePattern } from '../../model/scope-path.ts'
import { label, text } from './parse.ts'

export const scopePath = label(256).refine(isScopePath, 'not a valid scope path')

export const scopePattern = label(256).refine(
  (scope: ScopePattern) => scope === '*' || isScopePath(scope),
  'must be a scope path or *',
)

const unique = (values: readonly string[]) => new Set(values).size === values.length

/** A list without repetition. */
export const uniqueList = <T extends z.ZodType<string>>(item: T, max: number) =>
  z.array(item).max(max, `must be at most ${max}`).refine(unique, 'must not repeat')

export const groupList = uniqueList(label(), 64).default([])

/** The readable part of a token. */
export const tokenName = text(32).regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1-32 of A-Z, a-z, 0-9 and -')

/** What names a record in a registry. */
export const idInput = z.strictObject({ id: label() })

/** A loop, because `every` makes an object of each of a batch's many numbers. */
function allFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false
  return true
}

export const vector = z.custom<Float32Array>(
  (v) => v instanceof Float32Array && v.length > 0 && v.length <= 4096 && allFinite(v),
  'must be 1 to 4096 finite numbers',
)
