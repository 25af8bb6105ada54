import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes on this machine's disk that no folder names any more, so that they end with the process. */
export interface Spooled {
  file: FileHandle
  /** Hex. */
  sha256: string
}

/** Writes the chunks to a file in `folder`. The caller closes it. */
export async function spool(folder: string, chunks: AsyncIterable<Uint8Array>): Promise<Spooled> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomBytes(16).toString('hex'))
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    const hash = createHash('sha256')
    await file.writeFile(hashed(chunks, hash))
    return { file, sha256: hash.digest('hex') }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}
