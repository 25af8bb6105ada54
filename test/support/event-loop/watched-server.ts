import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Command, Report, Stall } from './messages.ts'

const script = fileURLToPath(new URL('./serve.ts', import.meta.url))

/** The service over HTTP in its own process, which reports how long its event loop was blocked. */
export interface WatchedServer {
  url: string
  /** Runs the work; returns the longest stall of the server during it. */
  watch<T>(work: () => Promise<T>): Promise<{ result: T; stall: Stall }>
  /** Blocks the server's event loop. */
  hold(ms: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Throws if the process ends before it listens, with its output in the error. */
export async function startWatchedServer(env: Record<string, string>): Promise<WatchedServer> {
  const { PATH = '', HOME = '' } = process.env
  const child = fork(script, { env: { PATH, HOME, ...env }, execArgv: [], stdio: 'inherit' })
  const ended = once(child, 'exit')
  const next = async (): Promise<Report> => {
    const [report] = await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error('the watched server ended'))),
    ])
    return report as Report
  }
  const ask = async (command: Command): Promise<Stall> => {
    const answer = next()
    child.send(command)
    const report = await answer
    if (report.kind === 'listening') throw new Error('the watched server started again')
    return report.stall
  }
  const first = await next()
  if (first.kind !== 'listening') throw new Error('the watched server did not say where it listens')
  return {
    url: first.url,
    watch: async (work) => {
      await ask({ kind: 'begin' })
      const result = await work()
      return { result, stall: await ask({ kind: 'end' }) }
    },
    hold: async (ms) => {
      await ask({ kind: 'hold', ms })
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
