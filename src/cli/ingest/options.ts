import { resolve } from 'node:path'
import { type Environment, flag, readWords, text, texts, UsageError } from '../program/command.ts'
import { readService, serviceFlags } from '../program/service.ts'

const defaultLedger = 'ingest-ledger.ndjson'
const maxConcurrency = 64

export type Options = Awaited<ReturnType<typeof readOptions>>

/** Throws an error that says what is wrong with the command line. Paths are absolute in the result. */
export async function readOptions(args: readonly string[], env: Environment) {
  const { values, positionals } = readWords(args, {
    ...serviceFlags,
    ...{ groups: text, ledger: text, concurrency: text },
    ...{ metadata: texts, include: texts, exclude: texts },
    ...{ 'no-ignore': flag, 'delete-missing': flag, hard: flag, force: flag },
    ...{ 'dry-run': flag, watch: flag, json: flag },
  })
  const { hard = false, watch = false, 'delete-missing': deletes = false, 'dry-run': dryRun = false } = values
  if (positionals.length === 0) throw new UsageError('a PATH is needed; try --help')
  if (hard && !deletes) throw new UsageError('--hard takes --delete-missing; try --help')
  if (watch && dryRun) throw new UsageError('--watch and --dry-run cannot be combined; try --help')
  const concurrency = Number(values.concurrency ?? 8)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > maxConcurrency) {
    throw new UsageError(`--concurrency takes a number from 1 to ${maxConcurrency}`)
  }
  const metadata = readMetadata(values.metadata ?? [])
  const absolute = (path: string) => resolve(env.INIT_CWD || process.cwd(), path)
  const tokenFile = values['token-file']
  const file = tokenFile === undefined ? undefined : absolute(tokenFile)
  const { include = [], exclude = [], force = false, json = false } = values
  return {
    service: await readService({ ...values, 'token-file': file }, env),
    paths: [...new Set(positionals.map(absolute))],
    groups: (values.groups ?? '').split(',').flatMap((group) => group.trim() || []),
    ...{ metadata, include, exclude, force, dryRun, watch, json, concurrency },
    /** Ignore files count. */
    ignoreFiles: values['no-ignore'] !== true,
    /** What to do about documents without a file. */
    deleteMissing: !deletes ? ('no' as const) : hard ? ('hard' as const) : ('soft' as const),
    ledger: absolute(values.ledger ?? defaultLedger),
  }
}

function readMetadata(pairs: readonly string[]): Record<string, string> {
  const metadata = new Map<string, string>()
  for (const pair of pairs) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (key === '') throw new UsageError('--metadata takes KEY=TEXT, such as year=2026')
    if (metadata.has(key)) throw new UsageError(`--metadata ${key} is there twice`)
    metadata.set(key, value)
  }
  return Object.fromEntries(metadata)
}
