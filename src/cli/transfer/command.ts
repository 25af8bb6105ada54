import { readConfig } from '../../config.ts'
import { type TransferCounts, TransferRefusedError } from '../../model/transfer.ts'
import { requireCatalog } from '../../wiring/stopped.ts'
import type { Transfer } from '../../wiring/transfer.ts'
import {
  type Command,
  type Environment,
  flag,
  noSuchCommand,
  onlyWord,
  readWords,
  text,
  UsageError,
} from '../program/command.ts'
import { linesOf, writeWhole } from './files.ts'

const exitCodes = { done: 0, refused: 1, failed: 2 } as const

/**
 * `transfer export …`, `transfer import …`: without the service, on the catalog and the object store of its settings.
 */
async function main(args: readonly string[], env: Environment): Promise<number> {
  const command = readCommand(args)
  const progress = createProgress(process.stderr, Date.now)
  // Loaded only here: help needs no database driver.
  const { openTransfer } = await import('../../wiring/transfer.ts')
  const config = readConfig({ ...env, ...(command.dataDir !== undefined && { DATA_DIR: command.dataDir }) })
  if (command.kind === 'export') requireCatalog(config)
  const transfer = await openTransfer(config)
  try {
    console.log(await run(transfer, command, progress))
    return exitCodes.done
  } finally {
    progress.end()
    await transfer.close()
  }
}

async function run(
  transfer: Transfer,
  command: TransferCommand,
  progress: ReturnType<typeof createProgress>,
): Promise<string> {
  const { file } = command
  if (command.kind === 'export') {
    const { namespace } = command
    const done = await writeWhole(file, (write) => transfer.export(namespace, { write, progress: progress.at }))
    const { withoutBytes } = done
    const remarks = withoutBytes === 0 ? [] : [`the bytes of ${plural(withoutBytes, 'source')} were not there`]
    return report({ verb: 'exported', file, ...done, remarks })
  }
  const done = await transfer.import({ lines: () => linesOf(file), progress: progress.at })
  const remarks = [
    ...Object.entries(done.leftOut).map(([kind, n]) => `left out: ${plural(n, 'record')} ${kind}`),
    ...done.unknownKeys.map((name) => `AUDIT_SIGNING_KEY does not list who signed the log of ${name}`),
  ]
  const namespaces = done.namespaces.map(({ name }) => name)
  return report({ verb: 'imported', file, namespaces, counts: done.counts, remarks })
}

export const command: Command = {
  name: 'transfer',
  run: main,
  codeOf: (error) => (error instanceof TransferRefusedError ? exitCodes.refused : exitCodes.failed),
}

type TransferCommand = { file: string; dataDir: string | undefined } & (
  | { kind: 'export' /** Null for all namespaces. */; namespace: string | null }
  | { kind: 'import' }
)

/** Throws an error that says what is wrong with the command line. */
export function readCommand([name, ...args]: readonly string[]): TransferCommand {
  if (name === 'export') return readExport(args)
  if (name === 'import') {
    const { values, positionals } = readWords(args, { 'data-dir': text })
    return { kind: 'import', file: onlyWord(positionals, 'import takes one FILE'), dataDir: values['data-dir'] }
  }
  throw noSuchCommand(name, ['export', 'import'])
}

function readExport(args: string[]): TransferCommand {
  const { values, positionals } = readWords(args, { namespace: text, all: flag, 'data-dir': text })
  const { namespace, all = false } = values
  if ((namespace === undefined) === !all) throw new UsageError('export takes either --namespace NAME or --all')
  const file = onlyWord(positionals, 'export takes one FILE')
  return { kind: 'export', namespace: namespace ?? null, file, dataDir: values['data-dir'] }
}

interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * Shows the progress of a transfer: on a terminal every second, in one line that is rewritten; else a line every 10 s.
 */
export function createProgress(out: Terminal, now: () => number) {
  let told = now()
  return {
    at: (records: number, all?: number): void => {
      if (now() - told < (out.isTTY ? 1_000 : 10_000)) return
      told = now()
      const text = all === undefined ? `${records} records` : `${records} of ${all} records`
      out.write(out.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
    },
    /** Clears the line for the next output. */
    end: (): void => {
      if (out.isTTY) out.write('\r\u001b[K')
    },
  }
}

/** The result of a transfer, for the terminal: `name  value` lines. */
interface Outcome {
  verb: 'exported' | 'imported'
  file: string
  namespaces: readonly string[]
  counts: TransferCounts
  /** Anything unusual. */
  remarks: readonly string[]
}

function report({ verb, file, namespaces, counts, remarks }: Outcome): string {
  // A whole service may have many namespaces.
  const named = namespaces.length > 5 ? plural(namespaces.length, 'namespace') : namespaces.join(', ')
  const lines = [[verb, `${named} (${file})`], ...Object.entries(counts).map(([kind, n]) => [kind, `${n}`])]
  const notes = remarks.map((remark) => ['but', remark])
  return [...lines, ...notes].map(([name = '', value]) => `${name.padEnd(17)} ${value}`).join('\n')
}

const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
