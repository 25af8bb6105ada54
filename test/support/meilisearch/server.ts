import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen, shut } from '../process/local-http.ts'
import { type CheckRequest, createContract, hasContract } from './contract.ts'
import { bearerOf, type LocalKey } from './keys.ts'
import type { LocalIndex } from './local-index.ts'
import { errorBody, RefusalError } from './refusal.ts'
import { createRoutes } from './routes.ts'
import { type TaskControl, TaskQueue } from './tasks.ts'

/** The faults that requests can meet; `slow` answers after half a second. */
export type MeiliFault =
  | 'reset'
  | 'hang'
  | 'hang-in-body'
  | 'slow'
  | 'garbage'
  | 'truncated'
  | 'senseless'
  | 'redirect'
  | 401
  | 403
  | 404
  | 429
  | 500
  | 503

export interface LocalMeilisearch {
  url: string
  adminKey: string
  indexes: Map<string, LocalIndex>
  keys: Map<string, LocalKey>
  tasks: TaskControl
  /** Method and path of each request so far. */
  calls: string[]
  /** Bodies of `POST /multi-search`, and their Authorization headers. */
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  searches: { bearer: string; body: any }[]
  /** Errors in requests under Meilisearch's API document; empty if that is not available. */
  violations: string[]
  fault: MeiliFault | null
  /** The calls that the fault applies to. Default: all. */
  faulty: (call: string) => boolean
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A local Meilisearch for the real SDK, which follows Meilisearch's documentation. It keeps state, runs tasks with a
 * delay, checks keys and tenant tokens, evaluates filters, and finds words and phrases. It checks every request against
 * the API document if that is available next to the project.
 */
export async function startMeilisearch(): Promise<LocalMeilisearch> {
  const check: CheckRequest = hasContract ? createContract() : () => null
  const queue = new TaskQueue()
  const server = createServer({ keepAlive: true }, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const url = await listen(server)
  const local: LocalMeilisearch = {
    url,
    adminKey: 'admin-key-of-the-local-meilisearch',
    indexes: new Map(),
    keys: new Map(),
    tasks: queue.control,
    calls: [],
    searches: [],
    violations: [],
    fault: null,
    faulty: () => true,
    [Symbol.asyncDispose]: () => shut(server),
  }
  const newKey = (uid: string) => createHmac('sha256', local.adminKey).update(uid).digest('hex')
  const routes = createRoutes({ indexes: local.indexes, keys: local.keys, queue, newKey })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', local.url)
    const method = request.method ?? 'GET'
    const call = `${method} ${path}`
    const sent = await text(request)
    local.calls.push(call)
    const fault = local.faulty(call) ? local.fault : null
    if (fault === 'reset') return void request.socket.destroy()
    if (fault === 'hang') return
    if (fault === 'hang-in-body') return void response.writeHead(200, { 'content-length': 1000 }).write('{"hits":')
    if (fault === 'redirect') return void response.writeHead(307, { location: `${local.url}${path}` }).end()
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 500).unref())
    const { status, body } = typeof fault === 'number' ? told(fault) : answer()
    const payload = JSON.stringify(body)
    const damaged = {
      garbage: '<html>Bad gateway</html>',
      truncated: payload.slice(0, payload.length / 2),
      senseless: '{"results":[{}],"hits":[{}]}',
    }
    const out = fault === 'garbage' || fault === 'truncated' || fault === 'senseless' ? damaged[fault] : payload
    response.writeHead(status, { 'content-type': 'application/json' }).end(out)

    function answer(): { status: number; body: object } {
      try {
        const body: unknown = sent === '' ? undefined : JSON.parse(sent)
        const contentType = request.headers['content-type'] ?? ''
        const wrong = check({ method, path, query, contentType, body })
        if (wrong !== null) local.violations.push(wrong)
        const bearer = bearerOf(request.headers.authorization, local.adminKey, local.keys)
        if (path === '/multi-search') {
          local.searches.push({ bearer: request.headers.authorization?.slice('Bearer '.length) ?? '', body })
        }
        return routes({ method, path, query, body, bearer })
      } catch (error) {
        if (!(error instanceof RefusalError)) throw error
        return { status: error.status, body: errorBody(error.code, error.message) }
      }
    }
  }

  /** Quotes the key, as a careless proxy may do. */
  const told = (status: number) => ({ status, body: errorBody('internal', `refused: ${local.adminKey}`) })

  return local
}
