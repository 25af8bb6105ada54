import type { Plane } from '../../model/unit.ts'
import type { Candidate, Counted, IndexFilter, UnitIndex } from './index-filter.ts'

export interface VectorQuery extends Counted {
  plane: Plane
  /** Only vectors of this model are compared. */
  model: string
  /** Leaves out Units with a vector of one of these models: other legs return them. */
  without?: readonly string[]
  vector: Float32Array
}

/** Nearest Units by cosine similarity (-1..1), exact or approximate, at most `limit`, best first. */
export interface VectorIndex extends UnitIndex {
  /** The name of a plane's index in health. */
  nameOf(plane: Plane): string
  search(query: VectorQuery, filter: IndexFilter, limit: number): Promise<Candidate[]>
}
