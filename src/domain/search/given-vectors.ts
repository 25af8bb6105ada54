import { InvalidInputError } from '../../errors.ts'
import type { Plane } from '../../model/unit.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { givenModels, ownModel } from '../bindings/plane-models.ts'
import type { Plan } from './plan.ts'

type Deps = Pick<Bindings, 'inference' | 'formerInference'>

/** The caller's own query embeddings for the searched planes, and the models that match their lengths. */
export function givenVectors(deps: Deps, plan: Plan): { plane: Plane; model: string; vector: Float32Array }[] {
  return plan.planes.flatMap((plane) => {
    const vector = plan.query.vector[plane]
    if (!vector) return []
    const known = givenModels(deps, plan.models, plane).find(({ dims }) => dims === vector.length)
    return [{ plane, model: known?.model ?? ownModel(deps.inference.model(plane)), vector }]
  })
}

/** Errors: 400 for a vector whose length no model of the plane has. */
export function checkGivenVectors(deps: Deps, plan: Plan): void {
  for (const { plane, vector } of givenVectors(deps, plan)) {
    const dims = givenModels(deps, plan.models, plane).map((known) => known.dims)
    if (dims.length > 0 && !dims.includes(vector.length)) {
      throw new InvalidInputError(['vector', plane], `must have ${[...new Set(dims)].join(' or ')} dimensions`)
    }
  }
}
