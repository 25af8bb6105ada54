import type { BackupCounts } from '../../model/backup.ts'

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
