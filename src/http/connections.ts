import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'

/** Connections beyond the maximum, for probes: an eighth of few connections. */
const maxReserved = 128

export interface Connections {
  /**
   * A request has begun on this connection. The result is to be called when its answer ended. `ended` is called once: then,
   * or when the connection closes. An answer that waits behind another one on its connection does not notice that.
   */
  begin(socket: Duplex, ended: () => void): () => void
  /** 503 where more than the normal maximum is open. */
  refusal(): ServiceError | null
}

/**
 * Keeps the service reachable at the maximum of connections. A new one then takes the place of the one that has been open
 * for longest without a request, else of the one that has been unused for longest. If all are in use, some more serve
 * probes. Connections are not counted by address: behind a proxy all of them come from one.
 */
export function limitConnections(server: Server, max: number, log: Log): Connections {
  const reserved = Math.min(maxReserved, Math.floor(max / 8))
  const normal = max - reserved
  server.maxConnections = max
  /** Without those that are being closed. */
  const open = new Set<Duplex>()
  /** In the order in which they opened, and became idle. */
  const unused = new Set<Duplex>()
  const idle = new Set<Duplex>()
  const running = new WeakMap<Duplex, Set<() => void>>()
  const warn = atMostOnceAMinute(() => log.warn({}, 'connections are closed or refused: the maximum number is open'))

  const forget = (socket: Duplex): void => {
    for (const set of [open, unused, idle]) set.delete(socket)
  }

  server.on('drop', warn)
  server.on('connection', (socket: Socket) => {
    if (open.size >= normal) {
      const [oldest] = unused.size > 0 ? unused : idle
      oldest?.destroy()
      if (oldest) forget(oldest)
      warn()
    }
    open.add(socket)
    unused.add(socket)
    socket.once('close', () => {
      forget(socket)
      for (const end of running.get(socket) ?? []) end()
    })
  })
  return {
    begin: (socket, ended) => {
      unused.delete(socket)
      idle.delete(socket)
      const requests = running.get(socket) ?? new Set()
      running.set(socket, requests)
      const end = () => {
        if (!requests.delete(end)) return
        if (requests.size === 0 && !socket.destroyed) idle.add(socket)
        ended()
      }
      requests.add(end)
      return end
    },
    refusal: () => {
      if (open.size <= normal) return null
      const detail = 'all connections of the service are in use: send the request again later'
      return new ServiceError('overloaded', detail, { retryAfter: 1 })
    },
  }
}

function atMostOnceAMinute(act: () => void): () => void {
  let actedAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - actedAt < 60_000) return
    actedAt = now
    act()
  }
}
