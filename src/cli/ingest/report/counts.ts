import type { LedgerLine } from './ledger.ts'

export type Counts = Record<'files' | LedgerLine['status'] | 'units', number>

export const noCounts = (): Counts => ({ files: 0, ok: 0, unchanged: 0, failed: 0, skipped: 0, deleted: 0, units: 0 })

export function count(counts: Counts, { status, units }: Pick<LedgerLine, 'status' | 'units'>): void {
  counts.files += 1
  counts[status] += 1
  counts.units += units
}

export const summary = ({ files, ok, unchanged, failed, skipped, deleted, units }: Counts): string =>
  `${files} files: ${ok} ok, ${unchanged} unchanged, ${failed} failed, ${skipped} skipped, ${deleted} deleted; ${units} Units`

/** A name as a terminal may show it. */
const shown = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)

export function textOf({ status, file, reason, detail, units }: LedgerLine): string {
  const name = `${status} ${shown(file)}`
  if (status === 'ok' || status === 'unchanged') return `${name} ${units} Units`
  if (reason === null) return name
  return `${name} ${reason}${detail === null || status === 'skipped' ? '' : `: ${shown(detail)}`}`
}

/** What a call would do about a file. */
export interface Preview {
  status: 'new' | 'changed' | 'unchanged' | 'missing' | 'skipped' | 'failed'
  file: string
  reason?: string
}

export const previewText = ({ status, file, reason }: Preview): string =>
  [status, shown(file), ...(reason === undefined ? [] : [reason])].join(' ')
