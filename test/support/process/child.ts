import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Child {
  process: ChildProcess
  /** The lines that it prints, in order. */
  lines: AsyncIterableIterator<string>
  /** SIGKILL if it still runs: a child that outlives its test delays the end of the whole run. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a program of `test/support` in its own process, e.g. `database/hold-lock.ts`. */
export function startChild(program: string, ...args: string[]): Child {
  const file = fileURLToPath(new URL(`../${program}`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  return {
    process: child,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
