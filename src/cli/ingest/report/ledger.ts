import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { z } from 'zod'

/** What became of a file. `bytes` and `sha256` are null if it was not read; `time` is in epoch milliseconds. */
const line = z.object({
  file: z.string(),
  doc_id: z.string(),
  document_id: z.string().nullable(),
  scope: z.string().nullable(),
  status: z.enum(['ok', 'unchanged', 'failed', 'skipped', 'deleted']),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  units: z.number(),
  bytes: z.number().nullable(),
  sha256: z.string().nullable(),
  time: z.number(),
})
export type LedgerLine = z.output<typeof line>

export interface Ledger {
  /** The last line of a file. */
  last(file: string): LedgerLine | undefined
  append(line: LedgerLine): void
  close(): void
}

/** Opens a ledger, or begins one. A last line that a crash tore is cut off. */
export function openLedger(path: string): Ledger {
  const file = openSync(path, 'a+', 0o600)
  const text = readAll(file)
  const end = text.lastIndexOf(10) + 1
  const torn = text.subarray(end)
  if (torn.length > 0 && readLine(torn.toString()) === null) ftruncateSync(file, end)
  else if (torn.length > 0) writeSync(file, '\n')
  const lines = text
    .toString()
    .split('\n')
    .flatMap((one) => readLine(one) ?? [])
  const last = new Map(lines.map((one) => [one.file, one]))
  return {
    last: (name) => last.get(name),
    append: (one) => {
      // In one write: a crash leaves a whole line, or a torn last one.
      writeSync(file, `${JSON.stringify(one)}\n`)
      last.set(one.file, one)
    },
    close: () => closeSync(file),
  }
}

function readAll(file: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size)
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, at, bytes.length - at, at)
    if (read === 0) return bytes.subarray(0, at)
    at += read
  }
  return bytes
}

function readLine(text: string): LedgerLine | null {
  try {
    return line.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
