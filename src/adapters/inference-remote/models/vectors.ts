import { toUnitVector } from '../../../model/unit-vector.ts'
import { malformed } from '../guard/problems.ts'

/** Vectors of an answer, checked and scaled to length 1. Throws for a wrong count, a wrong length or a bad norm. */
export function unitVectors(
  vectors: readonly (readonly number[] | undefined)[],
  { count, dims }: { count: number; dims: number },
): Float32Array[] {
  if (vectors.length !== count) throw malformed(`answered ${vectors.length} vectors instead of ${count}`)
  return vectors.map((vector) => {
    if (vector === undefined) throw malformed('answered with something that is not a vector')
    if (vector.length !== dims) throw malformed(`answered ${vector.length} dimensions instead of ${dims}`)
    if (!vector.every((value) => typeof value === 'number'))
      throw malformed('answered with something that is not a vector')
    const unit = toUnitVector(vector)
    if (unit === null) throw malformed('answered a vector that is zero or not finite')
    return unit
  })
}
