import { batchesOf } from '../../async/batches.ts'
import { InvalidInputError } from '../../errors.ts'
import type { Plane } from '../../model/unit.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { ownModel } from '../bindings/plane-models.ts'
import type { PlacedUnit } from './place-units.ts'

export type EmbeddedUnit = PlacedUnit & {
  embedding: { model: string; values: Float32Array } | null
  /** The model that embeds its text, now or later; null for own vectors and hashed n-grams. */
  embeddedBy: string | null
  /** There is no vector yet: the Unit is stored, its words are found, and it is embedded in the background. */
  embedPending: boolean
}

type Waits = Pick<DomainSettings, 'inferenceTimeoutMs' | 'ingestWaitMs'>
type Deps = Pick<Bindings, 'inference' | 'log'> & Waits

export const ingestSignal = ({ inferenceTimeoutMs, ingestWaitMs }: Waits): AbortSignal =>
  AbortSignal.timeout(Math.min(inferenceTimeoutMs, ingestWaitMs))

/**
 * Gives each Unit its vector: the caller's own, or one of the plane's model. Nobody waits for a model longer than for the
 * indexes: what is not embedded by then is embedded in the background.
 */
export async function embedUnits(
  deps: Deps,
  namespaceId: string,
  units: readonly PlacedUnit[],
  signal = ingestSignal(deps),
): Promise<EmbeddedUnit[]> {
  const embedded = new Map<PlacedUnit, EmbeddedUnit>()
  const toEmbed = new Map<Plane, PlacedUnit[]>()
  for (const [index, unit] of units.entries()) {
    if (unit.vector) embedded.set(unit, withOwnVector(deps, unit, unit.vector, index))
    else if (unit.text) toEmbed.set(unit.plane, [...(toEmbed.get(unit.plane) ?? []), unit])
  }
  for (const [plane, group] of toEmbed) {
    const vectors = await embedTexts(deps, namespaceId, plane, group, signal)
    const { name: model, fallback } = deps.inference.model(plane)
    const embeddedBy = fallback ? null : model
    for (const [i, unit] of group.entries()) {
      const values = vectors[i]
      const embedding = values ? { model, values } : null
      embedded.set(unit, { ...unit, embedding, embeddedBy, embedPending: values === undefined })
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

/** The vectors of the first texts: all, unless the model fails or takes too long. */
async function embedTexts(
  { inference, log }: Deps,
  namespaceId: string,
  plane: Plane,
  units: readonly PlacedUnit[],
  signal: AbortSignal,
): Promise<(Float32Array | null)[]> {
  const vectors: (Float32Array | null)[] = []
  try {
    for (const batch of batchesOf(units, { maxItems: inference.model(plane).atOnce })) {
      signal.throwIfAborted()
      const texts = batch.map((unit) => unit.text ?? '')
      vectors.push(...(await inference.embed(plane, texts, 'passage', signal)))
    }
  } catch (error) {
    const pending = units.length - vectors.length
    if (signal.aborted) log.info({ namespaceId, plane, pending }, 'Units are embedded in the background')
    else log.warn({ err: error, namespaceId, plane, pending }, 'embedding failed and will be retried')
  }
  return vectors
}
