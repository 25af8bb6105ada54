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

/** Counts requests. It keeps labels from fixed lists: nothing of what callers send. */
export interface RequestMeter {
  started(method: string): void
  /** Tells how to read the bytes of bodies and answers that are held. */
  buffered(bytes: () => number): void
  /** The answer has ended, or its client has left. `status` is null when no answer began. */
  ended(request: MeteredRequest): void
  /** A head that could not be read, so that no request began. */
  broken(request: Omit<MeteredRequest, 'method'> & { method: string | null }): void
}

export interface MeteredRequest {
  method: string
  status: number | null
  ms: number
  /** A template, or null. */
  route: string | null
  /** The code of the error in the answer. */
  error: string | null
}

/** Makes a span of each request. */
export interface RequestTracer {
  /** Continues the trace of a valid `traceparent`, else begins a new one. */
  begin(request: { method: string; headers: Readonly<Record<string, string>> }): RequestTrace
}

export interface RequestTrace {
  /** 32 lower-case hex digits. */
  traceId: string
  /** Runs the request inside of its span. */
  run<T>(work: () => T): T
  end(request: TracedRequest): void
}

export interface TracedRequest {
  /** Without the query. */
  path: string
  /** A template, or null. */
  route: string | null
  /** Null when no answer began. */
  status: number | null
  requestId: string | null
}

/** What waits in this process, and what its indexes hold. */
export interface Load {
  /** Known without asking anything. */
  now(): {
    /** Namespaces that are being indexed. */
    indexing: number
    auditRows: number
    /** See `LogAges.oldest`. */
    checkpointAgeMs: number
    anchorIsBehind: boolean
    connections: { busy: number; idle: number; waiting: number } | null
  }
  /** Changes that the indexes lack, by plane. Asks the catalog about namespaces that are being indexed, at most 16. */
  pending(): Promise<ReadonlyMap<Plane, { changes: number; lagMs: number }>>
  /** Null where the engines are elsewhere. */
  content(): Promise<ReadonlyMap<Plane, { units: number; bytes: number }> | null>
  /** Lookups at the payment provider that wait, counted up to 1,000. */
  billingEvents(): Promise<number>
}
