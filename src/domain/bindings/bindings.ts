import type { KeyObject } from 'node:crypto'
import type { Price } from '../../model/billing.ts'
import type { Log } from '../../model/log.ts'
import type { AnswerWriter } from '../../ports/answer-writer.ts'
import type { AuditAnchor } from '../../ports/audit-anchor.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Entailment } from '../../ports/entailment.ts'
import type { Identity } from '../../ports/identity.ts'
import type { Inference } from '../../ports/inference.ts'
import type { KeyValue } from '../../ports/key-value.ts'
import type { ObjectStore } from '../../ports/object-store.ts'
import type { Passages } from '../../ports/passages.ts'
import type { Payments } from '../../ports/payments.ts'
import type { Reranker } from '../../ports/reranker.ts'
import type { ConsoleSessions } from '../../ports/sessions.ts'
import type { TextIndex } from '../../ports/text-index.ts'
import type { VectorIndex } from '../../ports/vector-index.ts'

/** The bindings that the domain works through, chosen once in the composition root. */
export interface Bindings {
  catalog: Catalog
  identity: Identity
  sessions: ConsoleSessions
  vectors: VectorIndex
  texts: TextIndex
  passages: Passages
  objects: ObjectStore
  anchor: AuditAnchor
  keyValue: KeyValue
  inference: Inference
  /** What can still embed queries by models that planes used before, until their Units are embedded anew. */
  formerInference: readonly Inference[]
  reranker: Reranker
  /** Writes answers. */
  writer: AnswerWriter
  /** Judges them. */
  entailment: Entailment
  payments: Payments
  /** What stands in while a provider of these fails; null where there is no provider that could. */
  standIns: StandIns
  clock: Clock
  random: Random
  log: Log
}

export interface StandIns {
  writer: AnswerWriter | null
  entailment: Entailment | null
}

export interface DomainSettings {
  version: string
  brand: string
  superAdminToken: string | undefined
  openSeed: boolean
  ingestWaitMs: number
  maxSourceBytes: number
  /** Under which origin callers reach the service; null when that is not known. */
  publicOrigin: string | null
  /** How long one request may wait for providers of models, all of them together. */
  inferenceTimeoutMs: number
  audit: AuditSettings
  billing: BillingSettings
}

export interface BillingSettings {
  /** What is sold, and under which prices of the provider. */
  prices: readonly Price[]
  /** For browsers: it may be public. */
  publishableKey: string | null
  /** The bearer token of reconciling; without one nobody may. */
  cronSecret: string | null
  /** Where the provider's pages lead back to. */
  returnUrl: string
}

/** What a row keeps of a query: its text, a digest under a key that the secret yields, or nothing. */
export type QueryRecording = { kind: 'text' } | { kind: 'hash'; secret: string } | { kind: 'none' }

export interface AuditSettings {
  /** When a read's row is durable: soon after the answer, before it, or never. */
  reads: 'async' | 'sync' | 'off'
  queries: QueryRecording
  /** Ed25519 private keys: the first one signs checkpoints, those of all of them count. */
  signingKeys: readonly [KeyObject, ...KeyObject[]]
  /** How often the logs that have grown are signed; 0 for only when asked. */
  checkpointMs: number
}
