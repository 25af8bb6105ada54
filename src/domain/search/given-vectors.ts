import { InvalidInput } from '../../errors.ts'
import type { Plane } from '../../model/unit.ts'
import type { PlaneModel } from '../../ports/catalog.ts'
import type { Bindings } from '../deps.ts'
import { ownModel } from '../models.ts'
import type { Plan } from './plan.ts'

/** The caller's own query embeddings, of the planes that are searched. */
export function givenVectors({ planes, query }: Plan): { plane: Plane; vector: Float32Array }[] {
  return planes.flatMap((plane) => {
    const vector = query.vector[plane]
    return vector ? [{ plane, vector }] : []
  })
}

/** Errors: 400 for a vector of another length than the plane's model has. */
export function checkGivenVectors({ inference }: Pick<Bindings, 'inference'>, plan: Plan, stored: PlaneModel[]): void {
  for (const { plane, vector } of givenVectors(plan)) {
    const model = ownModel(inference.model(plane))
    const dims = stored.find((m) => m.plane === plane && m.model === model)?.dims
    if (dims !== undefined && vector.length !== dims) {
      throw new InvalidInput(['vector', plane], `must have ${dims} dimensions`)
    }
  }
}
