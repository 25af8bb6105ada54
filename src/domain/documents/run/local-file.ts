import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ObjectStore } from '../../../ports/stores/object-store.ts'
import { DocumentError } from './failure.ts'

/** Runs `work` on a local copy of stored bytes, which parsers read. Errors: DocumentError if there are none. */
export async function withLocalFile<T>(
  objects: ObjectStore,
  key: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'document-'))
  try {
    const path = join(folder, 'source')
    const stored = await objects.open(key)
    if (!stored) throw sourceMissing()
    await pipeline(stored.stream, createWriteStream(path, { mode: 0o600 }))
    return await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const sourceMissing = () => new DocumentError('source_missing', 'The source is not there any more.')
