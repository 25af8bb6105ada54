import type { Plane } from '../model/unit.ts'
import type { Candidate, IndexFilter, UnitIndex } from './index-filter.ts'

export interface VectorQuery {
  plane: Plane
  /** Only vectors of this model are compared. */
  model: string
  /** Units with a vector of one of these models are left out: other legs have them. */
  without?: readonly string[]
  vector: Float32Array
  /** Only a count is wanted: over many Units, a ranking that is nearly right will do. */
  rough?: boolean
}

/** Nearest Units by cosine similarity (-1..1), exact or approximate, at most `limit`, best first. */
export interface VectorIndex extends UnitIndex {
  /** What health calls the index of a plane. */
  nameOf(plane: Plane): string
  search(query: VectorQuery, filter: IndexFilter, limit: number): Promise<Candidate[]>
}
