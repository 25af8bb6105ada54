import { connect, type Socket } from 'node:net'

/** One kept-alive HTTP/1.1 connection. */
export interface HttpConnection {
  /** Sends bytes from `httpRequest`, one request at a time; resolves to the body, rejects unless the status is 2xx. */
  send(request: Uint8Array): Promise<Buffer>
  close(): void
}

export interface RequestParts {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Encodes a request, so that sending it costs the client almost nothing. */
export function httpRequest(origin: string, { method, path, headers = {}, body }: RequestParts): Buffer {
  const all = { host: new URL(origin).host, ...headers }
  const payload = Buffer.from(body ?? '')
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  if (body !== undefined) lines.push('content-type: application/json', `content-length: ${payload.length}`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), payload])
}

/** A partly received response. */
interface Pending {
  resolve(body: Buffer): void
  reject(error: Error): void
  chunks: Buffer[]
  received: number
  /** Offsets of the start of the body and the end of the response; known after the complete head. */
  bodyAt: number
  endsAt: number
}

/**
 * A client for measurements: it supports only responses with a `content-length`. `node:http`'s client takes more time
 * than its server, so it would distort the measurement.
 */
export async function openConnection(origin: string): Promise<HttpConnection> {
  const { hostname, port } = new URL(origin)
  const socket = await opened(connect({ host: hostname, port: Number(port), noDelay: true }))
  let pending: Pending | null = null

  const fail = (error: Error) => {
    pending?.reject(error)
    pending = null
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))
  socket.on('data', (chunk) => {
    if (!pending) return
    pending.chunks.push(chunk)
    pending.received += chunk.length
    if (pending.endsAt === 0 && !readHead(pending)) return
    if (pending.received < pending.endsAt) return
    const { resolve, reject, chunks, bodyAt, endsAt } = pending
    pending = null
    const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    const body = all.subarray(bodyAt, endsAt)
    const status = all.toString('latin1', 9, 12)
    if (status.startsWith('2')) resolve(body)
    else reject(new Error(`answered ${status}: ${body.toString().slice(0, 500)}`))
  })

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection is closed'))
        pending = { resolve, reject, chunks: [], received: 0, bodyAt: 0, endsAt: 0 }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

function opened(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket.off('error', reject)))
  })
}

/** False if the head is incomplete. */
function readHead(pending: Pending): boolean {
  const start = pending.chunks.length === 1 && pending.chunks[0] ? pending.chunks[0] : Buffer.concat(pending.chunks)
  const headEnd = start.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const head = start.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`a response without content-length:\n${head}`)
  pending.bodyAt = headEnd + 4
  pending.endsAt = pending.bodyAt + Number(length)
  return true
}
