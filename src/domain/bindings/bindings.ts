import type { KeyObject } from 'node:crypto'
import type { Log } from '../../model/log.ts'
import type { RequestLimits } from '../../model/request.ts'
import type { Telemetry } from '../../model/telemetry.ts'
import type { Price, TierName } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'
import type { Identity } from '../../ports/access/identity.ts'
import type { ConsoleSessions } from '../../ports/access/sessions.ts'
import type { Catalog, PlaneModel } from '../../ports/catalog.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Passages } from '../../ports/indexes/passages.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { TextIndex } from '../../ports/indexes/text-index.ts'
import type { VectorIndex } from '../../ports/indexes/vector-index.ts'
import type { AnswerWriter } from '../../ports/models/answer-writer.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { EmbeddingModel, Inference } from '../../ports/models/inference.ts'
import type { MediaModels } from '../../ports/models/media-models.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import type { StepPlanner } from '../../ports/models/step-planner.ts'
import type { Parser } from '../../ports/parser.ts'
import type { Payments } from '../../ports/payments.ts'
import type { AuditAnchor } from '../../ports/stores/audit-anchor.ts'
import type { Counter, KeyValue } from '../../ports/stores/key-value.ts'
import type { ObjectStore } from '../../ports/stores/object-store.ts'

/** The bindings that the domain uses, chosen once in the composition root. */
export interface Bindings {
  catalog: Catalog
  identity: Identity
  sessions: ConsoleSessions
  vectors: VectorIndex
  texts: TextIndex
  passages: Passages
  objects: ObjectStore
  parser: Parser
  anchor: AuditAnchor
  keyValue: KeyValue
  /** Counts requests in all replicas. */
  requestCounter: Counter
  inference: Inference
  /** Embeds queries by the former models of planes, until their Units are embedded again. */
  formerInference: readonly Inference[]
  /** Models that read pictures and recordings. */
  media: MediaModels
  reranker: Reranker
  /** Writes answers. */
  writer: AnswerWriter
  /** Judges answers. */
  entailment: Entailment
  /** Plans the steps of answers; null: rules do. */
  planner: StepPlanner | null
  analysis: TextAnalysis
  payments: Payments
  /** Replacements for these providers when they fail; null where no provider is used. */
  fallbacks: Fallbacks
  clock: Clock
  random: Random
  log: Log
  telemetry: Telemetry
}

interface Fallbacks {
  writer: AnswerWriter | null
  entailment: Entailment | null
}

export interface DomainSettings {
  version: string
  brand: string
  superAdminToken: string | undefined
  openSeed: boolean
  ingestWaitMs: number
  /** How long a request waits for an earlier one with its Idempotency-Key. */
  writeWaitMs: number
  /** How long a read waits for the indexes to reach the seq that it names. */
  afterSeqWaitMs: number
  requestLimits: RequestLimits
  maxSourceBytes: number
  /** Files that are parsed at the same time. */
  parseWorkers: number
  /** The service's origin for callers; null when it is not known. */
  publicOrigin: string | null
  /** Total time that one request may wait for providers of models. */
  inferenceTimeoutMs: number
  /** Weights of vectors in the fusion, by model; without one the default applies. */
  vectorWeights: ReadonlyMap<string, number>
  audit: AuditSettings
  billing: BillingSettings
  sweeping: {
    /** Between two sweeps. */
    everyMs: number
    /** How long an upload stays that no Unit names. */
    unusedSourceMs: number
  }
}

export interface BillingSettings {
  /** The items for sale, with the provider's price ids. */
  prices: readonly Price[]
  /** For browsers: it may be public. */
  publishableKey: string | null
  /** The bearer token for reconciling; without one nobody may reconcile. */
  cronSecret: string | null
  /** Of a new home, before any payment. */
  defaultTier: TierName
  /** Where the provider's pages link back to. */
  returnUrl: string
}

/** What a row stores of a query: its text, a digest with a key derived from the secret, or nothing. */
export type QueryRecording = { kind: 'text' } | { kind: 'hash'; secret: string } | { kind: 'none' }

export interface AuditSettings {
  /** When a read's row becomes durable: soon after the response, before it, or never. */
  reads: 'async' | 'sync' | 'off'
  queries: QueryRecording
  /** Ed25519 private keys: the first one signs checkpoints; signatures of all of them are valid. */
  signingKeys: readonly [KeyObject, ...KeyObject[]]
  /** How often grown logs are signed; 0 means only on request. */
  checkpointMs: number
}

export type BillingDeps = Pick<Bindings, 'catalog' | 'payments' | 'clock' | 'random' | 'log'> & {
  billing: BillingSettings
}

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
  if (held.length === 0) return [target]
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
