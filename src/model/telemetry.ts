import type { Plane } from './unit.ts'

/**
 * What the service reports about its own work, as metrics and spans. Names come from fixed lists: no ids, texts or names
 * that callers choose. Work that is observed runs unchanged: its result and its errors pass through.
 */
export interface Telemetry {
  /** A root field of an operation, from REST or GraphQL. */
  field<T>(field: RootField, work: () => Promise<T>): Promise<T>
  stage<T>(stage: SearchStage, work: () => Promise<T>): Promise<T>
  leg<T>(leg: SearchLeg, work: () => Promise<T>): Promise<T>
  /** A leg that failed and was left out. */
  legDropped(leg: SearchLeg, error: unknown): void
  inference<T>(call: InferenceCall, work: () => Promise<T>): Promise<T>
  /** A request to a database or an index elsewhere. Absent where nobody looks: it is called for each statement. */
  database?<T>(call: DatabaseCall, work: () => Promise<T>): Promise<T>
  /** A request to another vendor. Absent where nobody looks. */
  vendor?<T>(call: VendorCall, work: () => Promise<T>): Promise<T>
  /** The text of a search. Call it only where texts of queries are recorded. */
  searched(query: string): void
  /** Committed changes of Units. */
  unitsWritten(plane: Plane, change: UnitChange, units: number): void
  /** How much a background task found to do. */
  queued(queue: TaskQueue, length: number): void
  /** Something was waited for, in ms. */
  waited(resource: AwaitedResource, ms: number): void
}

export interface RootField {
  type: 'query' | 'mutation'
  name: string
}

/** In the order of a search. */
export const searchStages = ['plan', 'candidates', 'fuse', 'hydrate', 'rerank', 'answer'] as const
export type SearchStage = (typeof searchStages)[number]

export interface SearchLeg {
  kind: 'vector' | 'text'
  /** Text is searched in all planes at once. */
  plane: Plane | 'all'
  /** Names the index. */
  engine: string
}

export interface InferenceCall {
  operation: 'embed' | 'rerank' | 'chat' | 'judge'
  /** Its kind in the settings. */
  provider: string
  model: string
}

export interface DatabaseCall {
  system: 'postgresql' | 'pinecone' | 'meilisearch' | 'redis'
  /** One word. */
  operation: string
}

export interface VendorCall {
  system: 's3' | 'stripe' | 'smtp' | 'mail_webhook'
  /** One word, by the vendor's name of it or by ours. */
  operation: string
}

export const unitChanges = ['created', 'updated', 'unchanged', 'tombstoned', 'purged'] as const
export type UnitChange = (typeof unitChanges)[number]

/** Queues of background tasks. */
export type TaskQueue = 'embed' | 'sweep' | 'mail'

export type AwaitedResource = 'connection' | 'namespace_lock'

/** Observes nothing. */
export const noTelemetry: Telemetry = {
  field: (_, work) => work(),
  stage: (_, work) => work(),
  leg: (_, work) => work(),
  legDropped: () => {},
  inference: (_, work) => work(),
  searched: () => {},
  unitsWritten: () => {},
  queued: () => {},
  waited: () => {},
}
