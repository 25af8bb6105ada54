import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { BackupHold, BackupMoment } from '../../model/backup.ts'
import type { Log } from '../../model/log.ts'
import { OperatorError, type OperatorRequest, RefusedError } from '../../model/operator-error.ts'

/** What the address of a local socket may take, in bytes: `sun_path` of unix(7), less on other systems. */
const maxPath = 100

/**
 * The socket at which a running service takes requests of its operator: a file in its data directory, for its owner
 * alone. A path that is too long for a socket is reached through a link, which `forget` removes.
 */
function controlSocket(dataDir: string): { file: string; address: string; forget(): void } {
  const file = join(resolve(dataDir), 'control.sock')
  if (Buffer.byteLength(file) <= maxPath) return { file, address: file, forget: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'mr-'))
  symlinkSync(resolve(dataDir), join(folder, 'd'))
  const forget = () => rmSync(folder, { recursive: true, force: true })
  return { file, address: join(folder, 'd', 'control.sock'), forget }
}

export interface ControlServer {
  close(): Promise<void>
}

/** What a running service does for someone who may use its data directory. */
export interface Controlled {
  hold(): Promise<BackupHold>
  /** Refusals are `RefusedError`. */
  operate(request: OperatorRequest): Promise<unknown>
}

/**
 * Lets the operator's commands use the running service, over a socket in its data directory: lines of JSON. A backup asks
 * `{"ask": "hold"}`, `mark` and `release`; other commands ask `operate` with a `request`. Each is answered by `{"answer":
 * …}` or `{"error": text, "refused": true if it was}`. A connection that ends, however it ends, releases its hold. A service
 * without the socket serves all the same.
 */
export async function startControlServer(dataDir: string, controlled: Controlled, log: Log): Promise<ControlServer> {
  const { file, address, forget } = controlSocket(dataDir)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    answer(socket, controlled).catch((err: unknown) => log.warn({ err }, 'a command of the operator ended early'))
  })
  try {
    // Of a process that was killed: the lock of the directory says that none runs.
    rmSync(file, { force: true })
    server.listen(address)
    await once(server, 'listening')
    chmodSync(file, 0o600)
  } catch (err) {
    log.warn(
      { err },
      'backups and commands while serving are not possible: the socket in the data directory cannot be made',
    )
  }
  return {
    async close() {
      for (const socket of sockets) socket.destroy()
      if (server.listening) {
        server.close()
        await once(server, 'close')
      }
      forget()
    },
  }
}

async function answer(socket: Socket, { hold: holdData, operate }: Controlled): Promise<void> {
  socket.on('error', () => {})
  let hold: BackupHold | null = null
  const run = async ({ ask, request }: Asked) => {
    if (ask === 'operate' && request) return operate(request)
    if (ask === 'hold') hold ??= await holdData()
    else if (ask === 'mark' && hold) return hold.mark()
    else if (ask === 'release') await hold?.release()
    else throw new Error('asks for nothing that this service knows')
    return null
  }
  try {
    for await (const line of createInterface({ input: socket })) {
      const reply = await run(askedIn(line)).then(
        (value) => ({ answer: value }),
        (error: unknown) => ({
          error: error instanceof Error ? error.message : String(error),
          ...(error instanceof RefusedError && { refused: true }),
        }),
      )
      if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`)
    }
  } finally {
    await (hold as BackupHold | null)?.release()
  }
}

interface Asked {
  ask?: unknown
  request?: OperatorRequest
}

/** The same program asks: the shape of a request is its own. */
function askedIn(line: string): Asked {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}

interface Conversation {
  ask(what: string, request?: OperatorRequest): Promise<unknown>
  end(): void
}

/** With the service that runs on this data directory; null when none does. */
async function converse(dataDir: string): Promise<Conversation | null> {
  const { address, forget } = controlSocket(dataDir)
  const socket = await open(address).finally(forget)
  if (!socket) return null
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    ask: async (ask, request) => {
      socket.write(`${JSON.stringify({ ask, request })}\n`)
      const { value, done } = await lines.next().catch(() => ({ value: '', done: true }))
      if (done) throw new OperatorError('the service ended before the command was complete; run it again')
      const reply: { answer?: unknown; error?: string; refused?: true } = JSON.parse(value)
      if (reply.refused) throw new RefusedError(`${reply.error}`)
      if (reply.error !== undefined) throw new OperatorError(`the service refused: ${reply.error}`)
      return reply.answer
    },
    end: () => socket.destroy(),
  }
}

/** What the service that runs on this data directory answers, in `answer`; null when none does. */
export async function askService(dataDir: string, request: OperatorRequest): Promise<{ answer: unknown } | null> {
  const conversation = await converse(dataDir)
  if (!conversation) return null
  try {
    return { answer: await conversation.ask('operate', request) }
  } finally {
    conversation.end()
  }
}

/** The hold of a service that runs on this data directory; null when none does. */
export async function holdOfService(dataDir: string): Promise<(BackupHold & { end(): void }) | null> {
  const conversation = await converse(dataDir)
  if (!conversation) return null
  const { ask, end } = conversation
  try {
    await ask('hold')
  } catch (error) {
    end()
    throw error
  }
  return {
    // The same program answers: the shape is that of `BackupMoment`.
    mark: async () => (await ask('mark')) as BackupMoment,
    release: async () => {
      await ask('release')
    },
    end,
  }
}

async function open(address: string): Promise<Socket | null> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR'].includes(String(code))) return null
    throw error
  }
  socket.on('error', () => {})
  return socket
}
