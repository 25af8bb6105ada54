import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { internalProblem } from '../../../src/errors.ts'
import { fromFetch, toFetch } from '../../../src/http/fetch.ts'
import { createReadyz, createRouter, livez } from '../../../src/http/handlers.ts'
import { type Handler, json } from '../../../src/http/message.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import { waited } from '../../support/waited.ts'
import { createClient, recordingLog } from './fixture.ts'

const mib = 1024 * 1024
const running: RunningServer[] = []

async function start(handler: Handler, drainMs?: number) {
  const server = await startServer(handler, {
    host: '127.0.0.1',
    port: 0,
    log: recordingLog(),
    ...(drainMs === undefined ? {} : { drainMs }),
  })
  running.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close().catch(() => {})))
})

/** Sends bytes over a socket; returns the reply up to the end of the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  return text(socket)
}

describe('the body limit', () => {
  const tooLarge = { error: 'bad_request', detail: 'the body must be at most 16 MiB', status: 400 }
  const headers = { authorization: 'Bearer good', 'content-type': 'application/json' }

  it('answers 17 MiB with a 400 that the client can read, and serves on', async () => {
    const { url } = await start(createClient().handler)
    for (let round = 0; round < 3; round += 1) {
      const response = await fetch(`${url}/v1/ingest`, { method: 'POST', headers, body: new Uint8Array(17 * mib) })
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual(tooLarge)
    }
    expect((await fetch(`${url}/v1/me`, { headers })).status).toBe(200)
  })

  it('holds for a chunked body of unknown length', async () => {
    const { url } = await start(createClient().handler)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${url}/v1/ingest`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on('error', reject)
      for (let i = 0; i < 17; i += 1) sent.write(Buffer.alloc(mib))
      sent.end()
    })
    expect(status).toBe(400)
  })

  it('takes 16 MiB', async () => {
    const { url } = await start(createClient().handler)
    const body = `{"units":[{"text":"${'x'.repeat(16 * mib - 23)}"}]}`
    expect(body).toHaveLength(16 * mib)
    const response = await fetch(`${url}/v1/ingest`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    // A server that closes waits until its answers are read.
    await response.body?.cancel()
  })

  it('can be set, and says so', async () => {
    const { url } = await start(createClient({ maxBodyBytes: 100 }).handler)
    const response = await fetch(`${url}/v1/ingest`, { method: 'POST', headers, body: 'x'.repeat(101) })
    expect(await response.json()).toMatchObject({ detail: 'the body must be at most 100 bytes' })
  })

  it('keeps the connection when a request is answered without reading its body', async () => {
    const { url } = await start(createClient().handler)
    const response = await fetch(`${url}/v1/ingest`, { method: 'POST', body: new Uint8Array(17 * mib) })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: 'unauthorized' })
  })
})

describe('the server', () => {
  it('finishes what is in flight when it closes, and takes nothing new', async () => {
    const started = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const server = await start(async () => {
      started.resolve()
      await release.promise
      return json(200, { done: true })
    })
    const answer = fetch(`${server.url}/slow`)
    await started.promise
    const closed = server.close()
    await expect(fetch(`${server.url}/new`)).rejects.toThrow()
    release.resolve()
    const response = await answer
    expect(await response.json()).toEqual({ done: true })
    expect(response.headers.get('connection')).toBe('close')
    await closed
  })

  it('closes at once when only idle connections are left', async () => {
    const server = await start(livez)
    await (await fetch(`${server.url}/`)).text()
    const { ms } = await waited(() => server.close())
    expect(ms).toBeLessThan(1_000)
  })

  it('cuts off what will not end', async () => {
    const server = await start(() => new Promise(() => {}), 50)
    const answer = fetch(`${server.url}/stuck`).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.close()
    expect(await answer).toBeInstanceOf(Error)
  })

  it('rejects when the port is taken', async () => {
    const { port } = await start(livez)
    await expect(startServer(livez, { host: '127.0.0.1', port, log: recordingLog() })).rejects.toThrow(/EADDRINUSE/)
  })

  it('answers a handler’s crash in the one error shape, with a request id', async () => {
    const { url } = await start(async () => {
      throw new Error('secret')
    })
    const response = await fetch(url)
    expect(response.status).toBe(500)
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await response.json()).toEqual({ error: 'internal_error', detail: internalProblem, status: 500 })
  })

  it('answers bytes that are not HTTP, and paths as they were sent', async () => {
    const { port } = await start(createClient().handler)
    expect(await exchange(port, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"error":"bad_request"/s)
    const head = 'Host: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n\r\n'
    expect(await exchange(port, `GET /v1/units/../me HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 404/)
    expect(await exchange(port, `GET /v1/units/%2e%2e HTTP/1.1\r\n${head}`)).toMatch(/"unit_id":"\.\."/)
    expect(await exchange(port, `GET http://x/v1/me HTTP/1.1\r\n${head}`)).toMatch(/"name":"ada"/)
  })

  it('survives a client that gives up', async () => {
    const { url, port } = await start(createClient().handler)
    const socket = connect(port, '127.0.0.1')
    socket.write('POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Length: 100\r\n\r\n{')
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    expect((await fetch(`${url}/v1/health`)).status).toBe(200)
  })
})

describe('fetch adapters', () => {
  it('let tests call a handler without a socket', async () => {
    const call = toFetch(createClient().handler)
    const response = await call(
      new Request('http://svc.test/v1/ingest', {
        method: 'POST',
        headers: { authorization: 'Bearer good' },
        body: JSON.stringify({ units: [{ doc_id: 'é' }] }),
      }),
    )
    expect(await response.json()).toEqual({ units: [{ unit_id: 'é', text: null, metadata: null }] })
    const large = new Request('http://svc.test/v1/ingest', {
      method: 'POST',
      headers: { authorization: 'Bearer good' },
      body: new Uint8Array(17 * mib),
    })
    expect((await call(large)).status).toBe(400)
  })

  it('mount a fetch function: cookies, bytes and the query arrive', async () => {
    const handler = fromFetch(async (request) => {
      const headers = new Headers({ 'x-url': request.url, 'x-body': await request.text() })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2')
      return new Response('ok', { headers })
    })
    const { url } = await start(handler)
    const response = await fetch(`${url}/a%2Fb?c=%20`, { method: 'POST', body: 'hello' })
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('x-url')).toBe(`${url}/a%2Fb?c=%20`)
    expect(response.headers.get('x-body')).toBe('hello')
  })
})

describe('probes and mounts', () => {
  it('tell alive from ready', async () => {
    const log = recordingLog()
    const slow = createReadyz(() => new Promise(() => {}), { timeoutMs: 20, log })
    const broken = createReadyz(() => Promise.reject(new Error('catalog is down')), { log })
    const handler = createRouter(
      [
        { path: '/livez', handler: livez },
        { path: '/readyz', handler: createReadyz(async () => {}) },
        { path: '/deep/', handler: slow },
        { path: '/broken', handler: broken },
      ],
      async () => json(404, null),
    )
    const status = async (path: string) => (await toFetch(handler)(new Request(`http://svc.test${path}`))).status
    expect(await status('/livez?x=1')).toBe(200)
    expect(await status('/readyz')).toBe(200)
    expect(await status('/deep/er')).toBe(503)
    expect(await status('/broken')).toBe(503)
    expect(await status('/livez/')).toBe(404)
    expect(log.lines).toHaveLength(2)
  })
})
