import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { BackupHold } from '../../model/backup.ts'
import type { Log } from '../../model/log.ts'
import { controlSocket } from './control-socket.ts'

export interface ControlServer {
  close(): Promise<void>
}

/**
 * Lets a backup hold the data of the running service, over a socket in its data directory: lines of JSON, `{"ask":
 * "hold"}`, `mark` and `release`, each answered by `{"answer": …}` or `{"error": text}`. A connection that ends, however
 * it ends, releases its hold. A service without the socket serves all the same.
 */
export async function startControlServer(
  dataDir: string,
  hold: () => Promise<BackupHold>,
  log: Log,
): Promise<ControlServer> {
  const { file, address, forget } = controlSocket(dataDir)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    answer(socket, hold).catch((err: unknown) => log.warn({ err }, 'a backup ended early'))
  })
  try {
    // Of a process that was killed: the lock of the directory says that none runs.
    rmSync(file, { force: true })
    server.listen(address)
    await once(server, 'listening')
    chmodSync(file, 0o600)
  } catch (err) {
    log.warn({ err }, 'backups while serving are not possible: the socket in the data directory cannot be made')
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

async function answer(socket: Socket, holdData: () => Promise<BackupHold>): Promise<void> {
  socket.on('error', () => {})
  let hold: BackupHold | null = null
  const run = async (ask: unknown) => {
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
        (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
      )
      if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`)
    }
  } finally {
    await (hold as BackupHold | null)?.release()
  }
}

function askedIn(line: string): unknown {
  try {
    return JSON.parse(line).ask
  } catch {
    return null
  }
}
