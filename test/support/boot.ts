import { type App, createApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Bindings } from '../../src/domain/bindings/bindings.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'
import type { AuditConfig } from '../../src/settings/audit.ts'
import { addPrincipal, type TestPrincipal } from './access/principals.ts'
import { createStorage, type TestStorage } from './database/database.ts'
import { type ReusedCatalog, reuseCatalog } from './database/reused-catalog.ts'
import { sharedParser } from './documents/parse.ts'

export interface Reply {
  status: number
  headers: Headers
  // Bodies are checked field by field in the tests themselves.
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  body: any
}

export interface CallOptions {
  token?: string
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
  scope?: string
  namespace?: string
}

export interface TestApp {
  app: App
  runtime: Runtime
  storage: TestStorage
  /** Sends a request over real HTTP routing. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
  /** A GraphQL operation. */
  graphql(query: string, variables: Record<string, unknown>, options?: CallOptions): Promise<Reply>
  /** Adds a principal, with its namespace and grants; returns its token. */
  principal(principal: TestPrincipal): Promise<string>
  /** Closes the app, and removes its data unless `keep` is set. */
  close(options?: { keep?: boolean }): Promise<void>
}

export interface BootOptions {
  config?: Partial<Omit<Config, 'audit'>> & { audit?: Partial<AuditConfig> }
  bindings?: Partial<Bindings>
  /** Existing data of an earlier boot, or a database of its own. */
  storage?: TestStorage
}

export const superAdminToken = 'super-admin-token-of-tests'

/** The whole application on its embedded adapters (the catalog on TEST_DATABASE_URL if that is set). */
export async function boot({ config, bindings, storage: given }: BootOptions = {}): Promise<TestApp> {
  const isReusable = !given && !config?.catalog && !bindings?.catalog && !process.env.TEST_DATABASE_URL
  const template = process.env.TEST_TEMPLATE
  const reused = isReusable && template ? await reuseCatalog(template) : null
  const storage = given ?? (await createStorage({ reused }))
  const { dataDir, catalog } = storage
  // An ingest waits until the indexes are complete, however busy the machine is.
  const defaults = readConfig({
    LOG_LEVEL: 'fatal',
    SUPER_ADMIN_TOKEN: superAdminToken,
    INGEST_WAIT_MS: '60000',
    INFERENCE: 'builtin',
  })
  const audit = { ...defaults.audit, ...config?.audit }
  const embedded = reused ? Promise.resolve(reused.embedded) : undefined
  const parser = config?.parsing ? {} : { parser: sharedParser() }
  const isUsualIndex = !(
    config?.index ||
    config?.textIndex ||
    config?.vectorIndex ||
    bindings?.texts ||
    bindings?.vectors
  )
  const index = isUsualIndex ? reused?.index : {}
  const settings = { ...defaults, dataDir, catalog, ...config, audit }
  const runtime = await createRuntime(settings, { ...parser, ...index, ...bindings }, { embedded }).catch(
    async (error) => {
      await abandon(reused)
      throw error
    },
  )
  const app = createApp(runtime)

  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Reply> => {
    const { token, body, scope, namespace } = options
    const headers = new Headers(options.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    if (scope !== undefined) headers.set('x-svc-scope', scope)
    if (namespace !== undefined) headers.set('x-svc-namespace', namespace)
    if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
    const payload = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    const response = await app.fetch(new Request(`http://localhost${path}`, { method, headers, body: payload }))
    const text = await response.text()
    // Excludes JSON Lines: such a body is not a single JSON text.
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    const parsed = isJson && text !== '' ? JSON.parse(text) : text
    return { status: response.status, headers: response.headers, body: parsed }
  }

  return {
    app,
    runtime,
    storage,
    call,
    graphql: (query, variables, options) => call('POST', '/graphql', { ...options, body: { query, variables } }),
    principal: (principal) => addPrincipal(runtime, principal),
    close: async ({ keep = false } = {}) => {
      if (keep) reused?.keep(dataDir)
      await runtime.dispose()
      if (!keep) await storage.remove()
    },
  }
}

/** What did not start may still have a connection. */
async function abandon(reused: ReusedCatalog | null): Promise<void> {
  reused?.keep(reused.dataDir)
  await reused?.embedded.close()
  await reused?.remove()
}
