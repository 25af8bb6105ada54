import type { InputPath } from '../../errors.ts'

/** `tStartMs` -> `t_start_ms`. */
export function toWireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Below these, keys are the caller's own words (metadata) or enum values (planes of a vector). */
const opaque = new Set<string | number>(['metadata', 'vector'])

/** A path of the domain (camelCase) in the names of the wire. */
export function toWirePath(path: InputPath): InputPath {
  const end = path.findIndex((part) => opaque.has(part))
  return path.map((part, i) => (typeof part === 'string' && (end < 0 || i <= end) ? toWireName(part) : part))
}
