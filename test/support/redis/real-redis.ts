import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RealRedis extends AsyncDisposable {
  url: string
}

/** Whether a real Redis is available: TEST_REDIS_URL, or `redis-server` in the PATH. */
export const hasRealRedis = process.env.TEST_REDIS_URL !== undefined || binary() !== null

function binary(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'redis-server')).find(existsSync) ?? null
}

/** TEST_REDIS_URL, or a new server on a free port, which stores nothing on disk and ends with the test. */
export async function startRealRedis(): Promise<RealRedis> {
  const given = process.env.TEST_REDIS_URL
  if (given !== undefined) return { url: given, [Symbol.asyncDispose]: async () => {} }
  const port = await freePort()
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no']
  const child = spawn(binary() ?? 'redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] })
  // An interrupted test runner must not leave servers behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit').finally(() => process.off('exit', kill))
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('Ready to accept')) return true
    return false
  })()
  if (!(await ready)) throw new Error('redis-server did not start')
  child.stdout.resume()
  return {
    url: `redis://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      kill()
      await exited
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
