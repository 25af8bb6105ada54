import { InvalidInputError } from '../../errors.ts'
import type { Plane } from '../../model/unit.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { ownModel } from '../bindings/plane-models.ts'
import type { PlacedUnit } from './place-units.ts'

export type EmbeddedUnit = PlacedUnit & {
  embedding: { model: string; values: Float32Array } | null
  /** The configured model that embeds its text, now or later; null for own vectors and the built-in model. */
  embeddedBy: string | null
  /** The provider failed: the Unit is stored, and embedding is retried in the background. */
  embedPending: boolean
}

type Deps = Pick<Bindings, 'inference' | 'log'> & Pick<DomainSettings, 'inferenceTimeoutMs'>

/** Gives each Unit its vector: the caller's own, or one of the plane's model. */
export async function embedUnits(
  deps: Deps,
  namespaceId: string,
  units: readonly PlacedUnit[],
): Promise<EmbeddedUnit[]> {
  const signal = AbortSignal.timeout(deps.inferenceTimeoutMs)
  const embedded = new Map<PlacedUnit, EmbeddedUnit>()
  const toEmbed = new Map<Plane, PlacedUnit[]>()
  for (const [index, unit] of units.entries()) {
    if (unit.vector) embedded.set(unit, withOwnVector(deps, unit, unit.vector, index))
    else if (unit.text) toEmbed.set(unit.plane, [...(toEmbed.get(unit.plane) ?? []), unit])
  }
  for (const [plane, group] of toEmbed) {
    const vectors = await embedTexts(deps, namespaceId, plane, group, signal)
    const { name: model, builtin } = deps.inference.model(plane)
    const embeddedBy = builtin ? null : model
    for (const [i, unit] of group.entries()) {
      const values = vectors?.[i]
      const embedding = values ? { model, values } : null
      embedded.set(unit, { ...unit, embedding, embeddedBy, embedPending: vectors === null })
    }
  }
  return units.map((unit) => embedded.get(unit) ?? { ...unit, embedding: null, embeddedBy: null, embedPending: false })
}

function withOwnVector({ inference }: Deps, unit: PlacedUnit, values: Float32Array, index: number): EmbeddedUnit {
  const model = inference.model(unit.plane)
  if (!model.builtin && values.length !== model.dims) {
    throw new InvalidInputError(['units', index, 'vector'], `must have the ${model.dims} dimensions of ${model.name}`)
  }
  return { ...unit, embedding: { model: ownModel(model), values }, embeddedBy: null, embedPending: false }
}

async function embedTexts(
  { inference, log }: Deps,
  namespaceId: string,
  plane: Plane,
  units: readonly PlacedUnit[],
  signal: AbortSignal,
): Promise<(Float32Array | null)[] | null> {
  try {
    return await inference.embed(
      plane,
      units.map((unit) => unit.text ?? ''),
      'passage',
      signal,
    )
  } catch (error) {
    log.warn({ err: error, namespaceId, plane, units: units.length }, 'embedding failed and will be retried')
    return null
  }
}
