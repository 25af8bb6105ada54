import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { open } from 'node:fs/promises'

export interface Digest {
  bytes: number
  sha256: string
}

/** The file changed while it was read. */
export class ChangingError extends Error {}

/** Size and SHA-256 of a file, read as a stream. Throws a `ChangingError`, or the system's error. */
export async function digestOf(path: string): Promise<Digest> {
  await using file = await open(path, 'r')
  const before = await file.stat({ bigint: true })
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 2 ** 18 })) {
    hash.update(chunk)
    bytes += chunk.length
  }
  const after = await file.stat({ bigint: true })
  if (BigInt(bytes) !== after.size || stampOf(before) !== stampOf(after)) throw new ChangingError()
  return { bytes, sha256: hash.digest('hex') }
}

/** Another stamp: the file has changed. */
export const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join()
