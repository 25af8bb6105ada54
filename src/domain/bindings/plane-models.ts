import type { Plane } from '../../model/unit.ts'
import type { PlaneModel } from '../../ports/catalog.ts'
import type { EmbeddingModel, Inference } from '../../ports/models/inference.ts'
import type { Bindings } from './bindings.ts'

type Deps = Pick<Bindings, 'inference' | 'formerInference'>

const own = 'own'

/** Where a plane has a model that comes with the service, callers' own vectors count as a model of their own. */
export const ownModel = (configured: EmbeddingModel): string => (configured.builtin ? own : configured.name)

/** The binding that embeds by this model in a plane, if there still is one. */
export const embedderOf = ({ inference, formerInference }: Deps, plane: Plane, model: string): Inference | null =>
  [inference, ...formerInference].find((binding) => binding.model(plane).name === model) ?? null

/** Whether a plane's models are changing, or a change left vectors that can't be embedded again. */
export const isChanging = (stored: readonly PlaneModel[], plane: Plane, target: string): boolean =>
  stored.some((m) => m.plane === plane && m.model !== own && m.model !== target)

/**
 * The models that search a plane's Units: the one in use, the configured one, and those left by earlier changes. Each
 * searches only Units that the ones before it lack. Usually there is one.
 */
export function modelsToAsk(stored: readonly PlaneModel[], plane: Plane, target: string): string[] {
  const held = stored.filter((m) => m.plane === plane && m.model !== own)
  const serving = held.filter((m) => m.serving).map(({ model }) => model)
  const holdsTarget = held.some(({ model }) => model === target)
  const asked = [...serving, ...(holdsTarget || serving.length === 0 ? [target] : []), ...held.map((m) => m.model)]
  return [...new Set(asked)]
}

/** The model in a plane's statistics: that of its searches; callers' own vectors come before built-in ones. */
export function shownModel(deps: Deps, stored: readonly PlaneModel[], plane: Plane): { model: string; dims: number } {
  const configured = deps.inference.model(plane)
  const [first = configured.name] = modelsToAsk(stored, plane, configured.name)
  const find = (model: string) => stored.find((m) => m.plane === plane && m.model === model)
  const isBuiltin = embedderOf(deps, plane, first)?.model(plane).builtin === true
  return (isBuiltin ? find(own) : undefined) ?? find(first) ?? { model: configured.name, dims: configured.dims }
}

/** The stored models that a caller's own vectors may belong to. The first one of a vector's length is used. */
export function givenModels(deps: Deps, stored: readonly PlaneModel[], plane: Plane): PlaneModel[] {
  const order = [...modelsToAsk(stored, plane, deps.inference.model(plane).name), own]
  return order.flatMap((model) => {
    const found = stored.find((m) => m.plane === plane && m.model === model)
    return found && embedderOf(deps, plane, model)?.model(plane).builtin !== true ? [found] : []
  })
}
