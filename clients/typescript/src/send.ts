import { ConnectionError, errorOf, type Failure, type SvcError } from './errors.ts'
import type { Fetch, Platform } from './platform.ts'

export interface ClientOptions {
  /** Address of the service, e.g. `https://search.example.com`. */
  baseUrl: string
  /** API key or session token. Without it only public routes work. */
  token?: string
  /** Namespace to work in. Default: the home namespace of the token. */
  namespace?: string
  /** Scope to work in, or `*`. Default: the active scope of the principal. */
  scope?: string
  fetch?: Fetch
  /** Retries after the first attempt. Default: 2. */
  maxRetries?: number
  /** Milliseconds for each attempt. Default: 30,000. */
  timeoutMs?: number
  /** Name in the service's headers. Default: `svc`. */
  brand?: string
}

export interface RequestOptions {
  signal?: Platform<'AbortSignal'>
  namespace?: string
  scope?: string
  /** Waits until the service's indexes hold everything up to this `seq`. */
  afterSeq?: number
  /** Names a write, so that a repeated one acts once. Default: a random one for each write. */
  idempotencyKey?: string
  /** An ETag: `NotModified` is thrown if it is still current. */
  ifNoneMatch?: string
  timeoutMs?: number
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below the base URL, or a complete URL. */
  path: string
  query?: Readonly<Record<string, string | number | undefined>>
  json?: unknown
  body?: Uint8Array<ArrayBuffer> | Platform<'ReadableStream'>
  /** A one-time link carries its own permission: no credential and no tenant is sent to it. */
  isLink?: boolean
  accept?: string
  /** False for calls that must not be repeated. Default: true. */
  mayRetry?: boolean
}

export type Send = (call: Call, options?: RequestOptions) => Promise<Platform<'Response'>>

const maxWaitMs = 60_000
const retried = new Set([408, 425, 429, 502, 503, 504])

/** Sends requests with credentials, timeouts and retries. Throws a `SvcError` for every response but 2xx. */
export function createSend(client: ClientOptions): Send {
  const { maxRetries = 2, timeoutMs = 30_000, fetch = globalThis.fetch } = client
  const base = client.baseUrl.replace(/\/+$/, '')
  return async (call, options = {}) => {
    const url = urlOf(base, call)
    const headers = headersOf(client, call, options)
    // A stream is sent without waiting for the response, which fetch requires to be stated.
    const streaming = call.body instanceof ReadableStream ? { duplex: 'half' } : {}
    const init: RequestInit = { method: call.method, headers, body: bodyOf(call), ...streaming }
    for (let attempt = 0; ; attempt += 1) {
      const limit = options.timeoutMs ?? timeoutMs
      const outcome = await tryOnce(() => fetch(url, init), init, limit, options.signal)
      if (outcome instanceof Response) return outcome
      const isLast = attempt >= maxRetries || call.mayRetry === false
      if (isLast || !(outcome instanceof ConnectionError || retried.has(outcome.status))) throw outcome
      await wait(waitMs(outcome, attempt), options.signal)
    }
  }
}

async function tryOnce(
  fetching: () => Promise<Response>,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Response | SvcError> {
  signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(timeoutMs)
  init.signal = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    const response = await fetching()
    if (!response.ok) return errorOf(await failureOf(response))
    // An answer that breaks off is no response. Streams are read by the caller.
    const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '')
    return isJson ? new Response(await response.arrayBuffer(), response) : response
  } catch (cause) {
    signal?.throwIfAborted()
    const detail = timeout.aborted ? `no response within ${timeoutMs} ms` : 'the service is unreachable'
    return new ConnectionError({ ...noFailure, code: 'connection_error', detail, cause })
  }
}

function urlOf(base: string, { path, query = {} }: Call): string {
  const url = new URL(path.startsWith('http') ? path : `${base}${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`)
  return url.href
}

function headersOf(client: ClientOptions, call: Call, options: RequestOptions): Headers {
  const headers = new Headers()
  if (call.json !== undefined) headers.set('Content-Type', 'application/json')
  if (call.accept) headers.set('Accept', call.accept)
  if (call.isLink) return headers
  const prefix = `X-${client.brand ?? 'svc'}-`
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined) headers.set(name, `${value}`)
  }
  set('Authorization', client.token === undefined ? undefined : `Bearer ${client.token}`)
  set(`${prefix}Namespace`, options.namespace ?? client.namespace)
  set(`${prefix}Scope`, options.scope ?? client.scope)
  set(`${prefix}After-Seq`, options.afterSeq)
  set('If-None-Match', options.ifNoneMatch)
  if (call.method !== 'GET') set('Idempotency-Key', options.idempotencyKey ?? crypto.randomUUID())
  return headers
}

const bodyOf = ({ json, body }: Call): BodyInit | null => (json === undefined ? (body ?? null) : JSON.stringify(json))

const noFailure: Failure = { status: 0, code: '', detail: '', requestId: null, retryAfter: null, requiredTier: null }

async function failureOf(response: Response): Promise<Failure> {
  const body: { error?: string; detail?: string; required_tier?: string } = await response.json().catch(() => ({}))
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return {
    status: response.status,
    code: body.error ?? (response.status === 304 ? 'not_modified' : `http_${response.status}`),
    detail: body.detail ?? response.statusText,
    requestId: response.headers.get('X-Request-Id'),
    retryAfter: Number.isFinite(seconds) ? seconds : null,
    requiredTier: body.required_tier ?? null,
  }
}

/** `Retry-After`, at most a minute; else 250 ms, doubled for each retry, with jitter of half. */
const waitMs = ({ retryAfter }: SvcError, attempt: number): number =>
  retryAfter === null ? 250 * 2 ** attempt * (0.5 + Math.random() / 2) : Math.min(retryAfter * 1000, maxWaitMs)

export function wait(ms: number, signal: RequestOptions['signal']): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
