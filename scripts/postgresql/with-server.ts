import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { memoryDisk } from '../memory-disk.ts'
import { startInstalled } from './installed.ts'
import { startPackaged } from './packaged.ts'
import type { StartedServer } from './server.ts'

/**
 * Runs a command with TEST_DATABASE_URL: the existing value, or a server that is started for this command. If none can
 * start, it skips the command with a message; with CI that is a failure.
 */
export async function withServer(program: string, args: readonly string[]): Promise<number> {
  const disk = memoryDisk()
  if (disk !== null) process.env.TMPDIR ??= disk
  const given = process.env.TEST_DATABASE_URL
  const server = given === undefined ? await startAny() : null
  const url = given ?? server?.url
  if (url === undefined) {
    console.log('skipped: no PostgreSQL server can be started')
    return process.env.CI === undefined ? 0 : 1
  }
  console.log(`PostgreSQL ${server?.name ?? 'of TEST_DATABASE_URL'}`)
  try {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: url } })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
    const [code] = await once(child, 'exit')
    return code ?? 1
  } finally {
    await server?.stop()
  }
}

async function startAny(): Promise<StartedServer | null> {
  for (const start of [startPackaged, startInstalled]) {
    try {
      return await start()
    } catch (error) {
      console.log(`not started: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`)
    }
  }
  return null
}
