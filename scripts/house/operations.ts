import { createHash, randomUUID } from 'node:crypto'
import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startService, stopService } from '../../bench/support/service.ts'
import { tempDir } from '../../test/support/temp-dir.ts'

export interface Run {
  name: string
  /** Files of src of which a function ran, on the thread that answers requests. */
  files: string[]
}

interface Operation {
  name: string
  /** What has to be there before; it is not counted. Returns the request. */
  prepare(service: Service): Promise<Request> | Request
  status?: number
}

interface Request {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}

interface Service {
  json<Answer>(request: Request): Promise<Answer>
  graphql(query: string, variables?: object): Request
  unit(): object
}

const scope = 'harbor/general'
const get = (path: string): Request => ({ method: 'GET', path })
const post = (path: string, body: unknown): Request => ({ method: 'POST', path, body })
const question = 'why did the battery pack overheat at pier 4'

/** Before its files are counted an operation has run this often: caches are full, and modules are loaded. */
const warmUps = 8
/** What ran each time belongs to the operation; the rest is work in the background. */
const rounds = 5

const operations: readonly Operation[] = [
  { name: 'probe', prepare: () => get('/livez') },
  {
    name: 'refused token',
    status: 401,
    prepare: () => ({ ...get('/v1/grants'), headers: { authorization: 'Bearer svc_live_none_00000000' } }),
  },
  { name: 'list grants', prepare: () => get('/v1/grants') },
  { name: 'statistics', prepare: () => get('/v1/catalog/stats') },
  { name: 'list the audit log', prepare: () => get('/v1/audit?limit=10') },
  { name: 'search', prepare: () => post('/v1/search', { q: question }) },
  { name: 'answer', prepare: () => post('/v1/answer', { q: question }) },
  {
    name: 'search (MCP)',
    prepare: () => ({
      ...post('/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search', arguments: { query: question } },
      }),
      headers: { accept: 'application/json, text/event-stream' },
    }),
  },
  // From here on they write, or something is written before: that empties caches.
  { name: 'read a Unit', prepare: async (service) => get(`/v1/units/${await newUnit(service)}`) },
  { name: 'ingest', prepare: (service) => post('/v1/ingest', { units: [service.unit()] }) },
  {
    name: 'change an ACL (GraphQL)',
    prepare: async (service) =>
      service.graphql(
        'mutation ($id: String!) { updateUnit(unitId: $id, input: {aclGroups: ["*", "finance"]}) { seq } }',
        { id: await newUnit(service) },
      ),
  },
  { name: 'delete', prepare: async (service) => post('/v1/units:delete', { ids: [await newUnit(service)] }) },
  {
    name: 'make a key (GraphQL)',
    prepare: (service) =>
      service.graphql('mutation ($name: String!) { createApiKey(input: {name: $name}) { token } }', {
        name: randomUUID().slice(0, 8),
      }),
  },
  {
    name: 'upload a source',
    prepare: async (service) => {
      const bytes = `Notes of ${randomUUID()}.`
      return { method: 'PUT', path: await newUpload(service, bytes), body: bytes }
    },
  },
  {
    name: 'ingest a document (GraphQL)',
    prepare: async (service) => {
      const bytes = `Notes of ${randomUUID()}.`
      const path = await newUpload(service, bytes)
      const { source_uri: uri } = await service.json<{ source_uri: string }>({ method: 'PUT', path, body: bytes })
      return service.graphql(
        'mutation ($uri: String!, $name: String!) { ingestDocument(input: {sourceUri: $uri, name: $name}) { documentId } }',
        { uri, name: `${randomUUID()}.md` },
      )
    },
  },
  {
    name: 'list documents (GraphQL)',
    prepare: (service) => service.graphql('{ documents { documents { documentId status } } }'),
  },
]

async function newUnit({ json, unit }: Service): Promise<string> {
  const { units } = await json<{ units: { unit_id: string }[] }>(post('/v1/ingest', { units: [unit()] }))
  return units[0]?.unit_id ?? ''
}

async function newUpload({ json, graphql }: Service, bytes: string): Promise<string> {
  const input = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), name: 'notes.md' }
  const query = 'mutation ($input: CreateUploadInput!) { createUpload(input: $input) { url } }'
  const { data } = await json<{ data: { createUpload: { url: string } } }>(graphql(query, { input }))
  return data.createUpload.url
}

/** Starts the service with the demo data, sends each request, and asks V8 which functions ran meanwhile. */
export async function runOperations(): Promise<Run[]> {
  const folder = tempDir('house')
  const process = await startService(folder.path, {}, { nodeFlags: ['--inspect=127.0.0.1:0'] })
  // The last one: the process before re-executed itself.
  const profiler = await openProfiler(process.stderr.match(/ws:\S+/g)?.at(-1) ?? '')
  let token = ''
  const send = async ({ method, path, body, headers }: Request, expected = 200) => {
    const response = await fetch(new URL(path, process.url), {
      method,
      headers: {
        'x-svc-scope': scope,
        ...(token === '' || path.startsWith('/uploads/') ? {} : { authorization: `Bearer ${token}` }),
        ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== expected || /"errors":\[|"isError":true/.test(text)) {
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    }
    return text
  }
  const service: Service = {
    json: async (request) => JSON.parse(await send(request)),
    graphql: (query, variables = {}) => post('/graphql', { query, variables }),
    unit: () => ({ external_id: randomUUID(), text: `The ferry ${randomUUID()} is moored.`, acl_groups: ['*'], scope }),
  }
  const { tokens } = await service.json<{ tokens: { admin: string } }>(post('/v1/admin/seed', {}))
  token = tokens.admin
  const runs: Run[] = []
  for (const { name, prepare, status } of operations) {
    let files: Set<string> | null = null
    for (let round = -warmUps; round < rounds; round++) {
      const request = await prepare(service)
      await quiet(profiler)
      await send(request, status)
      const ran = await profiler.take()
      if (round >= 0) files = new Set([...ran].filter((file) => files?.has(file) ?? true))
    }
    runs.push({ name, files: [...(files ?? [])].sort() })
  }
  profiler.close()
  await stopService(process)
  folder.remove()
  return runs
}

/** Waits for work in the background that the request before began, such as its row in the audit log. */
async function quiet(profiler: Awaited<ReturnType<typeof openProfiler>>): Promise<void> {
  await profiler.take()
  for (let tries = 0; tries < 20; tries++) {
    await sleep(60)
    if ((await profiler.take()).size === 0) return
  }
}

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[]
}

/** V8's counters of the main thread, over the inspector of the process. */
async function openProfiler(address: string) {
  const socket = new WebSocket(address)
  const open = Promise.withResolvers<void>()
  socket.onopen = () => open.resolve()
  socket.onerror = () => open.reject(new Error(`no inspector at ${address}`))
  await open.promise
  const answers = new Map<number, (result: unknown) => void>()
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) answers.get(id)?.(result)
  }
  let last = 0
  const ask = (method: string, params: object = {}) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    answers.set(++last, resolve)
    socket.send(JSON.stringify({ id: last, method, params }))
    return promise
  }
  await ask('Profiler.enable')
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const root = fileURLToPath(new URL('../../', import.meta.url))
  return {
    /** The files of which a function ran since the last call. */
    async take(): Promise<Set<string>> {
      const { result } = (await ask('Profiler.takePreciseCoverage')) as Coverage
      const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      const paths = ran.flatMap(({ url }) => (url.startsWith('file:') ? relative(root, fileURLToPath(url)) : []))
      return new Set(paths.filter((path) => path.startsWith('src/') && !path.includes('/generated/')))
    },
    close: () => socket.close(),
  }
}
