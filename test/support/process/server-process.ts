import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { TestStorage } from '../database/database.ts'

const program = fileURLToPath(new URL('../../../scripts/package/bin.js', import.meta.url))

/** A long timeout: on a busy machine a first start also creates a database. */
const startTimeoutMs = 90_000

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** The server as operators run it: in its own process, which can be signalled and killed. */
export interface ServerProcess {
  url: string
  pid: number
  kill(signal: NodeJS.Signals): void
  /** Resolves after the process has ended and its output is complete. */
  exited: Promise<Exit>
  /** Its output so far. */
  readonly stdout: string
  readonly stderr: string
  /** SIGKILL if it still runs. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface StartOptions {
  timeoutMs?: number
  /** The working directory: the server reads a `.env` file in it. */
  cwd?: string
  args?: readonly string[]
  /** A program that runs the command given to it, such as one that sets limits. */
  wrapper?: readonly string[]
  /** Flags of Node. */
  nodeFlags?: readonly string[]
  /** The command that serves. Default: what `npm start` runs. */
  command?: readonly string[]
}

/** A start that ended before the server listened. */
export class ServerDidNotStartError extends Error {
  readonly exit: Exit
  readonly stdout: string
  readonly stderr: string

  constructor(exit: Exit, stdout: string, stderr: string) {
    super(`the server ended with ${exit.signal ?? exit.code} before it listened:\n${stderr}`)
    this.name = 'ServerDidNotStartError'
    this.exit = exit
    this.stdout = stdout
    this.stderr = stderr
  }
}

/** On a database server sign-in requires this secret: replicas have to share it. */
const authSecret = 'what the replicas of a test share'

/** A test's storage, a free local port, no model, and only warnings and errors in the log. */
export function environmentOf({ dataDir, catalog }: Pick<TestStorage, 'dataDir' | 'catalog'>): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: dataDir,
    INFERENCE: 'builtin',
    ...(catalog.kind === 'postgresql' ? { DATABASE_URL: catalog.url, AUTH_SECRET: authSecret } : {}),
  }
}

/**
 * Runs what `npm start` runs with only these settings; resolves when its boot block is complete.
 * Throws `ServerDidNotStartError` if it exits before that; after `timeoutMs` without a boot block it is killed.
 */
export async function startServerProcess(
  env: Record<string, string>,
  {
    timeoutMs = startTimeoutMs,
    cwd = tmpdir(),
    args = [],
    wrapper = [],
    nodeFlags = [],
    command = [process.execPath, ...nodeFlags, '--', program, 'serve'],
  }: StartOptions = {},
): Promise<ServerProcess> {
  const { PATH = '', HOME = '', TEST_COMPILED } = process.env
  const [first = '', ...rest] = [...wrapper, ...command, ...args]
  const child = spawn(first, rest, {
    cwd,
    env: { PATH, HOME, ...(TEST_COMPILED === undefined ? {} : { NODE_COMPILE_CACHE: TEST_COMPILED }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // An interrupted test runner must not leave servers behind.
  const killChild = () => child.kill('SIGKILL')
  process.once('exit', killChild)
  const output = { stdout: '', stderr: '' }
  const listening = Promise.withResolvers<string>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
    const address = addressIn(output.stdout)
    if (address !== null) listening.resolve(address)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const exited = exitOf(child).finally(() => process.off('exit', killChild))
  const deadline = setTimeout(killChild, timeoutMs)
  const url = await Promise.race([listening.promise, exited]).finally(() => clearTimeout(deadline))
  if (typeof url !== 'string') throw new ServerDidNotStartError(url, output.stdout, output.stderr)
  return {
    url,
    pid: child.pid ?? 0,
    kill: (signal) => {
      child.kill(signal)
    },
    exited,
    get stdout() {
      return output.stdout
    },
    get stderr() {
      return output.stderr
    },
    [Symbol.asyncDispose]: async () => {
      killChild()
      await exited
    },
  }
}

/** Expects the start to fail; returns the exit code and output. */
export async function failedStart(
  env: Record<string, string>,
  options?: StartOptions,
): Promise<ServerDidNotStartError> {
  const outcome = await startServerProcess(env, options).catch((error: unknown) => error)
  if (outcome instanceof ServerDidNotStartError) return outcome
  if (outcome instanceof Error) throw outcome
  await (outcome as ServerProcess)[Symbol.asyncDispose]()
  throw new Error('the server started')
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  // `close` instead of `exit`: it comes after both pipes are read to the end.
  const [code, signal] = await once(child, 'close')
  return { code, signal }
}

/** The URL in the boot block, once its last line is printed. */
function addressIn(stdout: string): string | null {
  if (!/^ {2}to begin .*\n/m.test(stdout)) return null
  return /^ {2}address +(\S+)/m.exec(stdout)?.[1] ?? null
}
