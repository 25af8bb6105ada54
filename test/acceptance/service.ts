import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createStorage, type TestStorage } from '../support/database/database.ts'
import { environmentOf, startServerProcess } from '../support/process/server-process.ts'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  body: any
}

export interface Call {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

/** A running service, known by its address alone. */
export interface Service {
  url: string
  superAdmin: string
  tokens: Record<'admin' | 'readonly' | 'free' | 'pro' | 'enterprise', string>
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** GET or DELETE of a path exactly as written: fetch would resolve dot segments first. */
  callRaw(method: string, path: string, token?: string): Promise<Answer>
  stop(): Promise<void>
}

let embedded: ReturnType<typeof spawnService> | undefined

/**
 * The service at ACCEPTANCE_URL (with ACCEPTANCE_SUPER_ADMIN_TOKEN), or one on a free local port; seeded. On the embedded
 * catalog all files of a worker share it: a start costs more than most of them. It ends with the worker.
 */
export async function startService(): Promise<Service> {
  const given = process.env.ACCEPTANCE_URL
  const superAdmin = process.env.ACCEPTANCE_SUPER_ADMIN_TOKEN ?? 'super-admin-of-acceptance'
  const { url, stop } = given ? { url: given, stop: async () => {} } : await ownService(superAdmin)

  const call = async (method: string, path: string, { token, body, headers }: Call = {}): Promise<Answer> => {
    const sent = new Headers({ 'content-type': 'application/json', ...headers })
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`)
    const payload = body === undefined ? null : isRaw(body) ? body : JSON.stringify(body)
    const response = await fetch(`${url}${path}`, { method, headers: sent, body: payload })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  const callRaw = async (method: string, path: string, token?: string): Promise<Answer> => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const sent = request(url, { method, path, headers }).end()
    const [response]: IncomingMessage[] = await once(sent, 'response')
    if (!response) throw new Error('no response')
    const text = (await response.toArray()).join('')
    return { status: response.statusCode ?? 0, headers: new Headers(), body: JSON.parse(text) }
  }

  const seeded = await call('POST', '/v1/admin/seed', { token: superAdmin })
  if (seeded.status !== 200) throw new Error(`seeding answered ${seeded.status}: ${JSON.stringify(seeded.body)}`)
  return { url, superAdmin, tokens: seeded.body.tokens, call, callRaw, stop }
}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

function ownService(superAdmin: string): ReturnType<typeof spawnService> {
  if (process.env.TEST_DATABASE_URL) return spawnService(superAdmin)
  embedded ??= sharedService(superAdmin)
  return embedded
}

async function sharedService(superAdmin: string) {
  const storage = await createStorage()
  // Vitest ends a worker by this signal, which alone emits no `exit`: the service would outlive it.
  process.once('SIGTERM', () => process.exit())
  process.once('exit', () => rmSync(storage.dataDir, { recursive: true, force: true }))
  const { url } = await spawnService(superAdmin, storage)
  return { url, stop: async () => {} }
}

async function spawnService(superAdmin: string, given?: TestStorage): Promise<{ url: string; stop(): Promise<void> }> {
  const storage = given ?? (await createStorage())
  const env = { ...environmentOf(storage), SUPER_ADMIN_TOKEN: superAdmin, INGEST_WAIT_MS: '20000' }
  const server = await startServerProcess(env)
  return {
    url: server.url,
    stop: async () => {
      server.kill('SIGTERM')
      await server.exited
      await storage.remove()
    },
  }
}
