import { createHash } from 'node:crypto'
import {
  parseEnd,
  parseHeader,
  type TransferEnd,
  type TransferHeader,
  TransferRefusedError,
} from '../../model/transfer.ts'

/** The lines of a file in batches, without their newlines. */
export type Lines = AsyncIterable<readonly string[]>

export interface CheckedFile {
  header: TransferHeader
  end: TransferEnd
}

/**
 * Reads a whole file and passes its records to `take`, each with its line number. Throws `TransferRefusedError` if the
 * file is not complete or was changed.
 */
export async function readFileThrough(
  lines: Lines,
  take: (line: string, at: number) => Promise<void> = async () => {},
): Promise<CheckedFile> {
  const digest = createHash('sha256')
  let header: TransferHeader | null = null
  let end: TransferEnd | null = null
  let at = 0
  for await (const batch of lines) {
    for (const line of batch) {
      at += 1
      if (end) throw new TransferRefusedError('the file continues after its end')
      end = parseEnd(line)
      if (end) continue
      digest.update(`${line}\n`)
      if (header) await take(line, at)
      else header = parseHeader(line)
    }
  }
  if (!header) throw new TransferRefusedError('the file is empty')
  if (!end) throw new TransferRefusedError('the file is cut off: its end is missing')
  if (digest.digest('hex') !== end.sha256 || at - 2 !== end.records) {
    throw new TransferRefusedError('the file is not as it was written: its SHA-256 is another one')
  }
  return { header, end }
}
