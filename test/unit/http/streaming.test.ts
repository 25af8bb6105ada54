import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { toFetch } from '../../../src/http/fetch.ts'
import type { Handler } from '../../../src/http/message.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import { recordingLog } from './fixture.ts'

const running: RunningServer[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

async function start(handler: Handler) {
  const log = recordingLog()
  const server = await startServer(handler, { host: '127.0.0.1', port: 0, log, drainMs: 100 })
  running.push(server)
  return { ...server, log }
}

const chunk = 'x'.repeat(64 * 1024)

/** An endless body of chunks, or a body that fails after N chunks; `seen` shows its state. */
function source(failAfter = Number.POSITIVE_INFINITY) {
  const seen = { chunks: 0, closed: false }
  async function* body(): AsyncGenerator<string> {
    try {
      for (;;) {
        if (seen.chunks === failAfter) throw new Error('the source failed')
        seen.chunks += 1
        yield chunk
      }
    } finally {
      seen.closed = true
    }
  }
  const handler: Handler = async () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: body() })
  return { seen, handler }
}

const ask = (socket: Socket) => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')

/** Resolves when the source has not been read for some time. */
async function settled(seen: { chunks: number }): Promise<number> {
  for (let before = -1; before !== seen.chunks; ) {
    before = seen.chunks
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return seen.chunks
}

describe('a streamed answer', () => {
  it('comes whole, and the connection can be used again', async () => {
    const parts = ['a\n', '\u{1F6A2}\n', 'c\n']
    async function* body() {
      yield* parts
    }
    const { port } = await start(async () => ({ status: 200, headers: {}, body: body() }))
    const socket = connect(port, '127.0.0.1')
    const answers = text(socket)
    ask(socket)
    socket.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const both = await answers
    expect(both.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    expect(both.match(/transfer-encoding: chunked/gi)).toHaveLength(2)
    expect(both.match(/\u{1F6A2}/gu)).toHaveLength(2)
    expect(both.endsWith('\r\n0\r\n\r\n')).toBe(true)
  })

  it('waits for a client that does not read, and continues when it does', async () => {
    const { seen, handler } = source()
    const { port } = await start(handler)
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    ask(socket)
    await expect.poll(() => seen.chunks).toBeGreaterThan(0)
    const held = await settled(seen)
    // Only a little more than the sockets' buffers on both sides: an unread gigabyte would be 16,384 chunks.
    expect(held).toBeLessThan(300)
    socket.resume()
    await expect.poll(() => seen.chunks).toBeGreaterThan(held + 1000)
    socket.destroy()
  })

  it('is no longer read when the client hangs up', async () => {
    const { seen, handler } = source()
    const { port, log } = await start(handler)
    const socket = connect(port, '127.0.0.1')
    ask(socket)
    await expect.poll(() => seen.chunks).toBeGreaterThan(0)
    socket.destroy()
    await expect.poll(() => seen.closed).toBe(true)
    expect(log.lines).toEqual([])
  })

  it('breaks the connection when it fails, and says so in the log', async () => {
    const { handler } = source(3)
    const { port, url, log } = await start(handler)
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
    for (const version of ['1.0', '1.1']) {
      const socket = connect(port, '127.0.0.1')
      const answer = text(socket)
      socket.write(`GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`)
      await expect(answer, version).rejects.toMatchObject({ code: 'ECONNRESET' })
    }
    await expect.poll(() => log.lines).toHaveLength(3)
  })
})

describe('as a fetch function', () => {
  it('fails where its source does', async () => {
    const response = await toFetch(source(3).handler)(new Request('http://localhost/'))
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('the source failed')
  })

  it('is no longer read when it is cancelled', async () => {
    const { seen, handler } = source()
    const response = await toFetch(handler)(new Request('http://localhost/'))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(seen.closed).toBe(true)
  })
})
