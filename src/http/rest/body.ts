import { badRequest, renderPath } from '../../errors.ts'
import { JsonTooLargeError, maxJsonDepth, parseJsonInSlices, tooDeep } from '../../slices/parse-json.ts'
import { isCleanText } from '../message.ts'

/** Parses a JSON object and refuses text that cannot be stored. `undefined` for an empty body. */
export async function parseBody(bytes: Uint8Array): Promise<Record<string, unknown> | undefined> {
  if (bytes.byteLength === 0) return undefined
  const value = await parseJsonInSlices(bytes, (piece, path) => checkTexts(piece, [...path])).catch(refuse)
  if (!isObject(value)) throw badRequest('the body must be a JSON object')
  return value
}

function refuse(error: unknown): never {
  if (error instanceof JsonTooLargeError) throw at(error.path, error.message)
  if (error instanceof SyntaxError) throw badRequest('the body must be valid JSON')
  if (error instanceof TypeError) throw badRequest('the body must be valid UTF-8')
  throw error
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks strings, keys and numbers anywhere in the body, including user metadata. */
function checkTexts(value: unknown, path: (string | number)[]): void {
  if (typeof value === 'string') {
    if (!isCleanText(value)) throw at(path, 'must not contain NUL or an unpaired surrogate')
    return
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw at(path, 'must be a finite number')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (path.length >= maxJsonDepth) throw at(path.slice(0, 4), tooDeep)
  if (Array.isArray(value)) {
    if (isVector(value)) return
    for (let i = 0; i < value.length; i += 1) checkWithin(value[i], i, path)
    return
  }
  for (const [key, child] of Object.entries(value)) {
    if (!isCleanText(key)) throw at(path, 'a field name must not contain NUL or an unpaired surrogate')
    // It is harmless as an own property, but a copy of the object would make it the prototype.
    if (key === '__proto__') throw at([...path, key], 'must not be a field name')
    checkWithin(child, key, path)
  }
}

/** A separate function, so that it only receives lists of numbers: the engine then reads them unboxed. */
function isVector(list: readonly unknown[]): boolean {
  if (typeof list[0] !== 'number') return false
  for (let i = 0; i < list.length; i += 1) if (!Number.isFinite(list[i])) return false
  return true
}

function checkWithin(child: unknown, key: string | number, path: (string | number)[]): void {
  path.push(key)
  checkTexts(child, path)
  path.pop()
}

const maxShownKey = 64

/** A 400 that names a place in wire names. A key that the caller chose is shortened. */
export function at(path: readonly (string | number)[], problem: string) {
  const shown = path.map((part) =>
    typeof part === 'string' && part.length > maxShownKey ? `${part.slice(0, maxShownKey).toWellFormed()}…` : part,
  )
  return badRequest(shown.length === 0 ? problem : `${renderPath(shown)}: ${problem}`)
}
