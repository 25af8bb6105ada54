import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Recording } from './bare-server.ts'

export interface BareServer {
  origin: string
  close(): Promise<void>
}

/** In its own process, which ends no later than this one. */
export async function startBareServer(recordings: readonly Recording[]): Promise<BareServer> {
  const child = fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url)))
  child.send(recordings)
  const [port] = (await once(child, 'message')) as [number]
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
