import type { InputPath } from '../../errors.ts'

/** `tStartMs` -> `t_start_ms`. */
export function toWireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Below this, keys are the caller's own words. */
const opaque = 'metadata'

/** A path of the domain (camelCase) in the names of the wire. */
export function toWirePath(path: InputPath): InputPath {
  const end = path.indexOf(opaque)
  return path.map((part, i) => (typeof part === 'string' && (end < 0 || i <= end) ? toWireName(part) : part))
}
