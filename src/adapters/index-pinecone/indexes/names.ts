import { type Plane, planes } from '../../../model/unit.ts'

/** Index sizes for vectors that do not have the plane's configured size: few, because projects limit indexes. */
const rungs = [1024, 4096, 16_384] as const

/**
 * The size of the index for vectors that have no index of their own size: the next larger rung. They are padded with
 * zeros, which changes no cosine.
 */
export function rungOf(dims: number): number {
  const rung = rungs.find((size) => size >= dims)
  if (rung === undefined) throw new RangeError(`no index takes vectors of ${dims} dimensions`)
  return rung
}

const nameOfPlane = (plane: Plane) => plane.replace('_', '-')

/** `svc-text-512`. Lower-case letters, digits and hyphens, 45 characters at most. */
export const indexName = (prefix: string, plane: Plane, dims: number): string =>
  `${prefix}-${nameOfPlane(plane)}-${dims}`

/** The plane and size in a name; null for other indexes. */
export function readName(prefix: string, name: string): { plane: Plane; dims: number } | null {
  if (!name.startsWith(`${prefix}-`)) return null
  const [, planeName, dims] = /^([a-z-]+)-(\d{1,5})$/u.exec(name.slice(prefix.length + 1)) ?? []
  const plane = planes.find((known) => nameOfPlane(known) === planeName)
  return plane === undefined ? null : { plane, dims: Number(dims) }
}
