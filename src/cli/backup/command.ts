import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { readConfig } from '../../config.ts'
import { type BackupCounts, BackupRefusedError } from '../../model/backup.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { type Command, readFlags, UsageError } from '../program/command.ts'

interface Options {
  to: string
  dataDir: string | undefined
  keys: boolean
  keep: number | null
  json: boolean
}

function readOptions(args: readonly string[]): Options {
  const [flag, text] = [{ type: 'boolean' } as const, { type: 'string' } as const]
  const { values, positionals } = readFlags({
    args: [...args],
    options: { 'data-dir': text, 'without-keys': flag, keep: text, json: flag },
    allowPositionals: true,
  })
  const [to, ...others] = positionals
  if (to === undefined || others.length > 0) throw new UsageError('one folder TO is needed; try --help')
  const { keep } = values
  if (keep !== undefined && !/^[1-9]\d{0,5}$/.test(keep))
    throw new UsageError('--keep needs a number from 1 on; try --help')
  return {
    to,
    dataDir: values['data-dir'],
    keys: values['without-keys'] !== true,
    keep: keep === undefined ? null : Number(keep),
    json: values.json === true,
  }
}

async function main(args: readonly string[], env: Record<string, string | undefined>): Promise<number> {
  const { to, dataDir: flag, keys, keep, json } = readOptions(args)
  const config = readConfig({ ...env, ...(flag !== undefined && { DATA_DIR: flag }) })
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
  const snapshot = await backUp({ to, dataDir, keys, keep })
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
