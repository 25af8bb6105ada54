import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A status; `reset`: the connection breaks before the answer; `cut`: in the middle of it, after the service acted. */
export type Fault = number | 'reset' | 'cut'

/** Stands before a service. Every `nth` request has the next fault, until there are no more. */
export async function startFlakyProxy(target: string, faults: readonly Fault[], nth = 2) {
  const left = [...faults]
  let count = 0
  const server = createServer((incoming, outgoing) => {
    count++
    const fault = count % nth === 0 ? left.shift() : undefined
    handle(target, incoming, outgoing, fault).catch(() => incoming.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    left,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function handle(target: string, incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | undefined) {
  const body = await buffer(incoming)
  if (fault === 'reset') {
    incoming.socket.resetAndDestroy()
    return
  }
  if (typeof fault === 'number') {
    outgoing.writeHead(fault, { 'content-type': 'application/json', connection: 'close' })
    outgoing.end('{"error": "of_the_test", "detail": "try again"}')
    return
  }
  const answer = await forward(new URL(incoming.url ?? '/', target), incoming, body)
  const content = await buffer(answer)
  outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'content-length': content.length })
  if (fault === undefined) outgoing.end(content)
  else outgoing.write(content.subarray(0, content.length >> 1), () => incoming.socket.destroy())
}

const forward = (url: URL, { method, headers }: IncomingMessage, body: Buffer) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const { 'transfer-encoding': _, ...rest } = headers
    const sent = send(url, { method, headers: { ...rest, host: url.host, 'content-length': body.length } }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
