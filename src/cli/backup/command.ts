import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { readConfig } from '../../config.ts'
import { type BackupCounts, BackupRefusedError } from '../../model/backup.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { type Command, type Environment, flag, onlyWord, readWords, text, UsageError } from '../program/command.ts'

async function main(args: readonly string[], env: Environment): Promise<number> {
  const options = { 'data-dir': text, 'without-keys': flag, keep: text, json: flag }
  const { values, positionals } = readWords(args, options)
  const to = onlyWord(positionals, 'one folder TO is needed; try --help')
  const { keep, json = false, 'data-dir': folder, 'without-keys': withoutKeys = false } = values
  if (keep !== undefined && !/^[1-9]\d{0,5}$/.test(keep))
    throw new UsageError('--keep needs a number from 1 on; try --help')
  const config = readConfig({ ...env, ...(folder !== undefined && { DATA_DIR: folder }) })
  if (config.catalog.kind === 'postgresql') {
    throw new OperatorError('DATABASE_URL is set: the data are on a server; docs/backup.md says how to back them up')
  }
  const dataDir = resolve(config.dataDir)
  if (!existsSync(join(dataDir, 'catalog', 'PG_VERSION'))) {
    throw new OperatorError(`there are no data in ${dataDir}; name their folder with --data-dir`)
  }
  if (!relative(dataDir, resolve(to)).startsWith('..')) throw new UsageError('TO must be outside of the data directory')
  // Loaded only here: help needs no database driver.
  const { backUp } = await import('../../wiring/back-up.ts')
  const snapshot = await backUp({ to, dataDir, keys: !withoutKeys, keep: keep === undefined ? null : Number(keep) })
  const { files: _, objects: __, ...shown } = snapshot
  console.log(json ? JSON.stringify(shown) : report('backed up', shown))
  return 0
}

export const command: Command = {
  name: 'backup',
  run: main,
  codeOf: (error) => (error instanceof BackupRefusedError ? 1 : 2),
}

interface Shown {
  id: string
  as_of: string
  keys: boolean
  counts: BackupCounts
  bytes: number
  added_bytes: number
}

/** A snapshot for the terminal: `name  value` lines. */
export function report(verb: string, { id, as_of, keys, counts, bytes, added_bytes }: Shown): string {
  const lines: [string, string][] = [
    [verb, id],
    ['as of', as_of],
    ...Object.entries(counts).map(([name, n]): [string, string] => [name.replace('_', ' '), `${n}`]),
    ['keys', keys ? 'included' : 'left out'],
    ['bytes', `${bytes}, ${added_bytes} of them new`],
  ]
  return lines.map(([name, value]) => `${name.padEnd(11)} ${value}`).join('\n')
}
