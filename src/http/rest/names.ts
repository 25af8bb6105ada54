import type { InputPath } from '../../errors.ts'

/** `tStartMs` -> `t_start_ms`. */
export function toWireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Inside this field, the caller chooses the keys. */
const opaque = 'metadata'

/** Converts a path of the domain (camelCase) to wire names. */
export function toWirePath(path: InputPath): InputPath {
  const end = path.indexOf(opaque)
  return path.map((part, i) => (typeof part === 'string' && (end < 0 || i <= end) ? toWireName(part) : part))
}
