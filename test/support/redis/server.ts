import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, runCommand } from './commands.ts'
import { createCommandReader, encode, type Reply } from './resp.ts'

/** The faults that commands can meet. `other-type` is an answer of a type that the command never returns. */
export type RedisFault =
  | 'hang'
  | 'drop'
  | 'garbage'
  | 'http'
  | 'error'
  | 'loading'
  | 'read-only'
  | 'other-type'
  | 'slow'

export interface RedisServer {
  /** Includes the password, if there is one. */
  readonly url: string
  readonly databases: Map<number, Database>
  /** Applies from now on, on every connection; the data stays. */
  fault: RedisFault | null
  /** The delay of `slow`. */
  delayMs: number
  /** Every valid command so far, its name in capitals. */
  readonly commands: string[][]
  /** The number of connections so far. */
  readonly connections: number
  readonly isListening: boolean
  /** Closes all connections and refuses new ones. The data stays. */
  stop(): Promise<void>
  /** Listens on the same port again. */
  start(): Promise<void>
  close(): Promise<void>
}

const answers: Partial<Record<RedisFault, string>> = {
  garbage: '\u0000\u0001 neither this\r\nnor that\r\n',
  http: 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n',
  error: '-ERR something is wrong\r\n',
  loading: '-LOADING Redis is loading the dataset in memory\r\n',
  'read-only': "-READONLY You can't write against a read only replica.\r\n",
  'other-type': '*2\r\n:1\r\n$1\r\nx\r\n',
}

/** The Redis commands that the service uses, on this machine and in memory. */
export async function startRedisServer({ password = null as string | null } = {}): Promise<RedisServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    counted += 1
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    serve(socket)
  })
  let counted = 0
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const stop = async () => {
    if (!server.listening) return
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
  const port = await listen(0)
  const redis: RedisServer = {
    url: `redis://${password === null ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    databases: new Map(),
    fault: null,
    delayMs: 100,
    commands: [],
    get connections() {
      return counted
    },
    get isListening() {
      return server.listening
    },
    stop,
    start: async () => {
      await listen(port)
    },
    close: stop,
  }

  function serve(socket: Socket): void {
    const read = createCommandReader()
    const answer = createSession(redis, password)
    let answered = Promise.resolve()
    socket.on('data', (chunk) => {
      try {
        for (const command of read(chunk)) answered = answered.then(() => reply(socket, answer, command))
      } catch (error) {
        // A client that speaks TLS sends any bytes, line ends among them.
        socket.destroy(error instanceof Error ? error : undefined)
      }
    })
  }

  async function reply(socket: Socket, answer: (command: readonly string[]) => Reply, command: string[]) {
    redis.commands.push(command)
    const { fault } = redis
    if (fault === 'hang') return
    if (fault === 'drop') return void socket.destroy()
    if (fault === 'slow') await sleep(redis.delayMs)
    socket.write((fault && answers[fault]) ?? encode(answer(command)))
  }

  return redis
}

/** The state of a connection: its user, its database, and the commands between MULTI and EXEC. */
function createSession({ databases }: RedisServer, password: string | null) {
  let isKnown = password === null
  let database = 0
  let queued: (readonly string[])[] | null = null
  const run = (command: readonly string[]) => {
    const kept = databases.get(database) ?? new Map()
    databases.set(database, kept)
    return runCommand(kept, command)
  }

  return (command: readonly string[]): Reply => {
    const name = command[0]?.toUpperCase()
    if (name === 'AUTH') {
      isKnown = command.at(-1) === password
      return isKnown ? { ok: 'OK' } : { error: 'WRONGPASS invalid username-password pair or user is disabled.' }
    }
    if (!isKnown) return { error: 'NOAUTH Authentication required.' }
    if (name === 'CLIENT' || name === 'SELECT') {
      if (name === 'SELECT') database = Number(command[1])
      return { ok: 'OK' }
    }
    if (name === 'MULTI') {
      queued = []
      return { ok: 'OK' }
    }
    if (name === 'EXEC') {
      const commands = queued
      queued = null
      return commands?.map(run) ?? { error: 'ERR EXEC without MULTI' }
    }
    if (queued === null) return run(command)
    queued.push(command)
    return { ok: 'QUEUED' }
  }
}
