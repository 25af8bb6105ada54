import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

interface Options {
  args: readonly string[]
  env?: Record<string, string>
  cwd?: string
  /** What it reads from stdin; nothing by default. */
  input?: string
  /** A program that runs the command given to it. */
  wrapper?: readonly string[]
}

/** Runs a command of the program as npm's scripts do, with only these settings, until it ends. */
export async function runProgram({ args, env = {}, cwd = tmpdir(), input = '', wrapper = [] }: Options): Promise<Ran> {
  const file = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const [command = '', ...rest] = [...wrapper, process.execPath, '--', file, ...args]
  const child = spawn(command, rest, {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: 'pipe',
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await closed
  return { code, stdout, stderr }
}

export const runSeed = (args: readonly string[], env: Record<string, string>): Promise<Ran> =>
  runProgram({ args: ['seed', ...args], env })
