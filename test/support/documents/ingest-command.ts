import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { LedgerLine } from '../../../src/cli/ingest/report/ledger.ts'
import type { Ran } from '../process/run-program.ts'

const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

export interface Command {
  url: string
  token: string
  scope: string
  /** Where relative paths count from. */
  cwd: string
}

/** The command in a process of its own, which can be killed. */
export interface RunningCommand {
  child: ChildProcess
  ended: Promise<Ran>
}

export function startIngest({ url, token, scope, cwd }: Command, ...args: string[]): RunningCommand {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, ['--', program, 'ingest', ...args, '--scope', scope], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, SVC_TOKEN: token, SVC_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = (async () => {
    const [stdout, stderr] = await output
    const [code] = await closed
    return { code, stdout, stderr }
  })()
  return { child, ended }
}

export const ingest = (command: Command, ...args: string[]): Promise<Ran> => startIngest(command, ...args).ended

export const ledgerOf = ({ cwd }: Command): LedgerLine[] =>
  readFileSync(join(cwd, 'ingest-ledger.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
