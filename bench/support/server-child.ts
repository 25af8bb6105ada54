import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A third-party server in its own process. */
export interface ServerChild {
  pid: number
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** A server that ended or never became ready, with its last output. */
export class ServerChildFailedError extends Error {}

/** Starts it and waits until `isReady`; it is killed when the bench ends for any reason. */
export async function startServerChild(
  command: readonly [string, ...string[]],
  isReady: () => Promise<boolean>,
  options: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'env'> = {},
  timeoutMs = 30_000,
): Promise<ServerChild> {
  const [program, ...args] = command
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      printed = `${printed}${chunk}`.slice(-2000)
    })
  }
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let failure: Error | null = null
  child.once('error', (error) => {
    failure = error
  })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    process.off('exit', kill)
    if (hasEnded(child) || failure) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const deadline = performance.now() + timeoutMs
  while (!(await isReady().catch(() => false))) {
    if (failure || hasEnded(child)) throw new ServerChildFailedError(failure ? String(failure) : printed.trim())
    if (performance.now() > deadline) {
      await stop('SIGKILL')
      throw new ServerChildFailedError(`not ready in time:\n${printed}`)
    }
    await sleep(50)
  }
  return { pid: child.pid ?? 0, stop }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
