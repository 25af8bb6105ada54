import type { Plane } from '../../../model/unit.ts'
import { rungOf } from './names.ts'
import type { PlaneIndex } from './plane-index.ts'

const ofSize = (indexes: readonly PlaneIndex[], plane: Plane, dims: number) =>
  indexes.find((index) => index.plane === plane && index.dims === dims)

/** The index that takes a plane's vectors of a size: of exactly that size, or of the next rung; null for neither. */
export const placeOf = (indexes: readonly PlaneIndex[], plane: Plane, dims: number): PlaneIndex | null =>
  ofSize(indexes, plane, dims) ?? ofSize(indexes, plane, rungOf(dims)) ?? null

/** All indexes that may hold vectors of a size: the exact size may have been made when the next rung held some. */
export const placesOf = (indexes: readonly PlaneIndex[], plane: Plane, dims: number): PlaneIndex[] =>
  [...new Set([dims, rungOf(dims)])].flatMap((size) => ofSize(indexes, plane, size) ?? [])
