import type { TransferCounts } from '../../model/transfer.ts'

/** The result of a transfer, for the terminal: `name  value` lines. */
export interface Outcome {
  verb: 'exported' | 'imported'
  file: string
  namespaces: readonly string[]
  counts: TransferCounts
  /** Anything unusual. */
  remarks: readonly string[]
}

export function report({ verb, file, namespaces, counts, remarks }: Outcome): string {
  // A whole service may have many namespaces.
  const named = namespaces.length > 5 ? plural(namespaces.length, 'namespace') : namespaces.join(', ')
  const lines = [[verb, `${named} (${file})`], ...Object.entries(counts).map(([kind, n]) => [kind, `${n}`])]
  const told = remarks.map((remark) => ['but', remark])
  return [...lines, ...told].map(([name = '', value]) => `${name.padEnd(17)} ${value}`).join('\n')
}

export const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
