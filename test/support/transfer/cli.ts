import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { TestStorage } from '../database/database.ts'
import { environmentOf } from '../process/server-process.ts'
import { signingSeed } from './world.ts'

const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the command as an operator does; an embedded catalog must not be open in another process. */
export const transfer = (storage: TestStorage, ...args: string[]): Promise<Ran> => transferOn({}, storage, ...args)

/** Runs it with more settings than those of the storage. */
export async function transferOn(
  settings: Record<string, string>,
  storage: TestStorage,
  ...args: string[]
): Promise<Ran> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const signing = { AUDIT_SIGNING_KEY: signingSeed.toString('base64') }
  const env = { PATH, NODE_COMPILE_CACHE, ...environmentOf(storage), ...signing, ...settings }
  const child = spawn(process.execPath, [program, 'transfer', ...args], {
    env,
    timeout: 180_000,
    killSignal: 'SIGKILL',
  })
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await exited, stdout, stderr }
}
