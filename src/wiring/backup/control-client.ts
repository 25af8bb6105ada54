import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { BackupHold, BackupMoment } from '../../model/backup.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { controlSocket } from './control-socket.ts'

/** The hold of a service that runs on this data directory; null when none does. */
export async function holdOfService(dataDir: string): Promise<(BackupHold & { end(): void }) | null> {
  const { address, forget } = controlSocket(dataDir)
  const socket = await open(address).finally(forget)
  if (!socket) return null
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const ask = async (what: string): Promise<unknown> => {
    socket.write(`${JSON.stringify({ ask: what })}\n`)
    const { value, done } = await lines.next().catch(() => ({ value: '', done: true }))
    if (done) throw new OperatorError('the service ended before the backup was complete; run it again')
    const reply: { answer?: unknown; error?: string } = JSON.parse(value)
    if (reply.error !== undefined) throw new OperatorError(`the service refused: ${reply.error}`)
    return reply.answer
  }
  try {
    await ask('hold')
  } catch (error) {
    socket.destroy()
    throw error
  }
  return {
    // The same program answers: the shape is that of `BackupMoment`.
    mark: async () => (await ask('mark')) as BackupMoment,
    release: async () => {
      await ask('release')
    },
    end: () => socket.destroy(),
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
