import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A simple round-robin load balancer over the backends that report ready. It never sends a request twice. */
export interface LoadBalancer {
  url: string
  /** Adds backends. A backend that is not ready is skipped until it is ready again. */
  add(url: string): Promise<void>
  remove(url: string): void
  /** Whether it sends this backend nothing more, and waits for no answer of it. */
  isOut(url: string): boolean
  [Symbol.asyncDispose](): Promise<void>
}

interface Backend {
  origin: URL
  ready: boolean
  isChecked: boolean
  pending: number
  /** Keeps connections open, as proxies do. */
  agent: Agent
}

/** Checks /readyz of every backend, at most once every `everyMs`. */
export async function startLoadBalancer(everyMs = 100): Promise<LoadBalancer> {
  const backends = new Map<string, Backend>()
  let turn = 0

  const check = async (backend: Backend) => {
    // One check at a time: a slow answer must not overtake that of a later check.
    if (backend.isChecked) return
    backend.isChecked = true
    const answer = await fetch(new URL('/readyz', backend.origin)).catch(() => null)
    await answer?.arrayBuffer().catch(() => {})
    Object.assign(backend, { ready: answer?.status === 200, isChecked: false })
  }
  const timer = setInterval(() => {
    for (const backend of backends.values()) void check(backend)
  }, everyMs)

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const ready = [...backends.values()].filter((backend) => backend.ready)
    turn += 1
    const backend = ready[turn % ready.length]
    if (!backend) return outgoing.writeHead(503).end('no backend is ready')
    const { method, url: path, headers } = incoming
    const { hostname, port } = backend.origin
    backend.pending += 1
    outgoing.on('close', () => {
      backend.pending -= 1
    })
    const passed = request({ hostname, port, method, path, headers, agent: backend.agent }, (response) => {
      const { connection: _, ...kept } = response.headers
      outgoing.writeHead(response.statusCode ?? 502, kept)
      response.pipe(outgoing)
    })
    passed.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end(`${backend.origin.port}: ${error.message}`)
    })
    incoming.pipe(passed)
  }
  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: async (url) => {
      const agent = new Agent({ keepAlive: true })
      const backend = { origin: new URL(url), ready: false, isChecked: false, pending: 0, agent }
      await check(backend)
      backends.set(url, backend)
    },
    remove: (url) => {
      backends.get(url)?.agent.destroy()
      backends.delete(url)
    },
    isOut: (url) => {
      const backend = backends.get(url)
      return backend === undefined || (!backend.ready && backend.pending === 0)
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      for (const { agent } of backends.values()) agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
