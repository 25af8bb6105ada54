import { batchesOf } from '../../async/pieces.ts'
import { forbidden, type InputPath, InvalidInputError } from '../../errors.ts'
import { covers } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { defaultPlane, type Plane, picturedModalities } from '../../model/unit.ts'
import type { Embedding } from '../../ports/indexes/index-filter.ts'
import { admit, requirePermission } from '../access/gate.ts'
import { type Bindings, type DomainSettings, ownModel } from '../bindings/bindings.ts'
import { requirePlane } from './limits.ts'
import type { ValidUnit } from './unit-input.ts'

/** A valid Unit with defaults for everything that the caller omitted. */
export type PlacedUnit = ValidUnit & { scope: string; plane: Plane }

/**
 * Decides scope and plane of each Unit, and whether the caller may put it there. Errors: 403, 402, 400; `scopeHeader`
 * is the name of the caller's scope selector.
 */
export function placeUnits(session: Session, units: readonly ValidUnit[], scopeHeader: string): PlacedUnit[] {
  admit(session, 'ingest')
  const defaultScope = defaultScopeOf(session)
  const planed = units.map((unit) => ({ ...unit, plane: unit.plane ?? defaultPlane(unit.modality) }))
  for (const scope of new Set(units.map((unit) => unit.scope ?? defaultScope))) authorize(session, scope)
  for (const { plane } of planed) requirePlane(session, plane)
  const placed = planed.map((unit, index) => {
    const scope = unit.scope ?? defaultScope
    if (scope === null) throw new InvalidInputError(['units', index, 'scope'], scopeProblem(session, scopeHeader))
    return { ...unit, scope }
  })
  refuseDuplicates(placed)
  return placed
}

/** The scope for Units that name none: null if it cannot be decided. */
function defaultScopeOf(session: Session): string | null {
  const { requestedScope, activeScope } = session
  const path = requestedScope === '*' ? activeScope : requestedScope
  if (path !== '*') return path
  const [only, ...others] = session.scopesInReach('write')
  return only && others.length === 0 ? only.scope : null
}

const maxScopesNamed = 20

/** The error text: which scopes the caller may write, and how to select one. */
function scopeProblem(session: Session, scopeHeader: string): string {
  const registered = session.scopesInReach('write').map(({ scope }) => scope)
  // A granted scope may not be registered yet.
  const writable = registered.length > 0 ? registered : session.scopesWith('write').roots.filter((root) => root !== '*')
  const more = writable.length - maxScopesNamed
  const listed = [...writable.slice(0, maxScopesNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const ways = `is required: name it here or in the header ${scopeHeader}`
  return writable.length === 0 ? `${ways}; no scope is registered yet` : `${ways}; writable scopes: ${listed}`
}

/**
 * The scope that something without Units yet goes to, by the same rules. `field` is where the caller may name it. Errors:
 * 403 without `write`, 400 where no scope can be chosen.
 */
export function requireScope(
  session: Session,
  sent: string | undefined,
  scopeHeader: string,
  field: InputPath,
): string {
  const scope = sent ?? defaultScopeOf(session)
  authorize(session, scope)
  if (scope === null) throw new InvalidInputError(field, scopeProblem(session, scopeHeader))
  return scope
}

function authorize(session: Session, scope: string | null): void {
  if (scope === null) return
  if (!covers(session.requestedScope, scope))
    throw forbidden(`scope ${scope} must be within the requested scope ${session.requestedScope}`)
  requirePermission(session, 'write', scope)
}

function refuseDuplicates(units: readonly PlacedUnit[]): void {
  const seen = new Set<string>()
  for (const [index, { scope, externalId }] of units.entries()) {
    if (externalId === undefined) continue
    const key = JSON.stringify([scope, externalId])
    if (seen.has(key)) throw new InvalidInputError(['units', index, 'externalId'], 'must not appear twice in the batch')
    seen.add(key)
  }
}

export type EmbeddedUnit = PlacedUnit & {
  embedding: Embedding | null
  /** The model that embeds its text, now or later; null for own vectors and hashed n-grams. */
  embeddedBy: string | null
  /** There is no vector yet: the Unit is stored, its words are found, and it is embedded in the background. */
  embedPending: boolean
}

type Waits = Pick<DomainSettings, 'inferenceTimeoutMs' | 'ingestWaitMs'>
type Deps = Pick<Bindings, 'inference' | 'log'> & Waits

export const ingestSignal = ({ inferenceTimeoutMs, ingestWaitMs }: Waits): AbortSignal =>
  AbortSignal.timeout(Math.min(inferenceTimeoutMs, ingestWaitMs))

interface EmbedOptions {
  signal?: AbortSignal
  /** Of these Units without vectors, those that need none: the model is not called for them. */
  unneeded?(units: readonly EmbeddedUnit[]): Promise<ReadonlySet<EmbeddedUnit>>
}

/**
 * Gives each Unit its vector: the caller's own, or one of the plane's model. Nobody waits for a model longer than for the
 * indexes: what is not embedded by then is embedded in the background.
 */
export async function embedUnits(
  deps: Deps,
  namespaceId: string,
  units: readonly PlacedUnit[],
  { signal = ingestSignal(deps), unneeded }: EmbedOptions = {},
): Promise<EmbeddedUnit[]> {
  const waiting = units.map((unit, index) => unembedded(deps, unit, index))
  const left = (await unneeded?.(waiting)) ?? new Set()
  const embedded = new Map<EmbeddedUnit, EmbeddedUnit>()
  const toEmbed = waiting.filter((unit) => unit.embedPending && !left.has(unit) && !isSeen(deps, unit))
  for (const [plane, group] of Map.groupBy(toEmbed, (unit) => unit.plane)) {
    const vectors = await embedTexts(deps, namespaceId, plane, group, signal)
    const { name: model, dims } = deps.inference.model(plane)
    for (const [i, unit] of group.entries()) {
      const values = vectors[i]
      const embedding = values ? { model, values, count: values.length / dims } : null
      embedded.set(unit, { ...unit, embedding, embedPending: values === undefined })
    }
  }
  return waiting.map((unit) => embedded.get(unit) ?? unit)
}

/** With the caller's own vector; otherwise it waits for one if it has a text or a picture. */
function unembedded(deps: Deps, unit: PlacedUnit, index: number): EmbeddedUnit {
  if (unit.vector) return withOwnVector(deps, unit, unit.vector, index)
  const { name, fallback } = deps.inference.model(unit.plane)
  const embedPending = Boolean(unit.text) || isSeen(deps, unit)
  return { ...unit, embedding: null, embeddedBy: embedPending && !fallback ? name : null, embedPending }
}

/** Its picture is read and embedded in the background. */
const isSeen = ({ inference }: Deps, { plane, modality, sourceUri }: PlacedUnit) =>
  inference.model(plane).images === true && picturedModalities.has(modality) && sourceUri !== undefined

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
