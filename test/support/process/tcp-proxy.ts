import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The mode of a proxy: `hang` accepts connections and bytes, and forwards nothing. */
export type ProxyMode = 'pass' | 'hang' | { delayMs: number }

/** A proxy between the service and a server, to simulate network failures. */
export interface TcpProxy {
  port: number
  mode: ProxyMode
  /** Existing connections stop forwarding, except the first N; new connections forward. */
  forget(butFirst?: number): void
  /** Closes all existing connections, as a crashed server does. */
  cut(): void
  /** Stops listening and closes all connections; `listen` undoes that. */
  refuse(): Promise<void>
  listen(): Promise<void>
  /**
   * Resolves when a client has sent `first`, and later `text` over the same connection. The text is forwarded, and the
   * connection closes before any answer.
   */
  cutAfter(first: string, text: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Pair {
  client: Socket
  server: Socket
  forgotten: boolean
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let trap: { first: string; text: string; armed: Set<Pair>; sprung(): void } | null = null
  let server = createServer()

  const destroy = ({ client, server: upstream }: Pair) => {
    client.resetAndDestroy()
    upstream.destroy()
  }
  const cut = () => {
    for (const pair of pairs) destroy(pair)
  }
  /** Forwards in order, as soon as the mode allows. */
  const pipe = (from: Socket, to: Socket, pair: Pair, allow: (chunk: Buffer) => boolean) => {
    let before = Promise.resolve()
    from.on('data', (chunk) => {
      before = before.then(async () => {
        while ((proxy.mode === 'hang' || pair.forgotten) && !to.destroyed) await sleep(20)
        if (typeof proxy.mode === 'object') await sleep(proxy.mode.delayMs)
        if (allow(chunk) && !to.destroyed) to.write(chunk)
      })
    })
  }
  const accept = (client: Socket) => {
    const upstream = connect(target)
    const pair: Pair = { client, server: upstream, forgotten: false }
    let swallowed = false
    pairs.add(pair)
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        // Sent bytes must still arrive: `end` follows them, a reset could overtake them.
        upstream.end()
        pairs.delete(pair)
      })
    }
    pipe(client, upstream, pair, (chunk) => {
      if (trap && chunk.includes(trap.first)) trap.armed.add(pair)
      if (trap?.armed.has(pair) && chunk.includes(trap.text)) {
        trap.sprung()
        trap = null
        swallowed = true
      }
      return true
    })
    pipe(upstream, client, pair, () => {
      if (swallowed) client.resetAndDestroy()
      return !swallowed
    })
  }
  const listen = async (port: number) => {
    server = createServer(accept)
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const refuse = async () => {
    const closed = once(server, 'close')
    server.close()
    cut()
    await closed
  }

  const proxy: TcpProxy = {
    port: await listen(0),
    mode: 'pass',
    forget: (butFirst = 0) => {
      for (const pair of [...pairs].slice(butFirst)) pair.forgotten = true
    },
    cut,
    refuse,
    listen: async () => {
      if (!server.listening) await listen(proxy.port)
    },
    cutAfter: (first, text) =>
      new Promise((resolve) => {
        trap = { first, text, armed: new Set(), sprung: resolve }
      }),
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await refuse()
      else cut()
    },
  }
  return proxy
}
