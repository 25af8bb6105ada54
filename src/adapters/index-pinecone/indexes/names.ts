import { type Plane, planes } from '../../../model/unit.ts'

/** The sizes of indexes for vectors that are not of the plane's configured size: few, for projects may hold few indexes. */
const rungs = [1024, 4096, 16_384] as const

/**
 * The size of the index that takes vectors of a size for which there is no index: the next larger rung. They are filled
 * up with zeros, which changes no cosine.
 */
export function rungOf(dims: number): number {
  const rung = rungs.find((size) => size >= dims)
  if (rung === undefined) throw new RangeError(`no index takes vectors of ${dims} dimensions`)
  return rung
}

const nameOfPlane = (plane: Plane) => plane.replace('_', '-')

/** `svc-text-512`. Lower-case letters, digits and hyphens, at most 45 of them. */
export const indexName = (prefix: string, plane: Plane, dims: number): string =>
  `${prefix}-${nameOfPlane(plane)}-${dims}`

/** The plane and size that a name tells; null for indexes of others. */
export function readName(prefix: string, name: string): { plane: Plane; dims: number } | null {
  if (!name.startsWith(`${prefix}-`)) return null
  const [, planeName, dims] = /^([a-z-]+)-(\d{1,5})$/u.exec(name.slice(prefix.length + 1)) ?? []
  const plane = planes.find((known) => nameOfPlane(known) === planeName)
  return plane === undefined ? null : { plane, dims: Number(dims) }
}
