import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { TransferRefusedError } from '../../model/transfer.ts'
import { readLines } from '../audit/verify.ts'

/** The first bytes of a gzipped file: RFC 1952. */
const gzipMark = Buffer.of(0x1f, 0x8b)

/** Level 1: vectors hardly compress, and this level is as fast as the catalog. */
const level = constants.Z_BEST_SPEED

/** Writes a file that only its owner may read. It gets its final name when it is complete and on disk. */
export async function writeWhole<T>(
  file: string,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (await exists(file)) throw new Error(`${file} exists already`)
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  const out = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
  const target = file.endsWith('.gz') ? createGzip({ level }) : out
  if (target !== out) target.pipe(out)
  // A failure rejects every wait below, and also when nothing is waiting at that moment.
  const failed = Promise.race([once(out, 'error'), once(target, 'error')]).then(([error]) => {
    throw error
  })
  failed.catch(() => {})
  try {
    const result = await Promise.race([
      failed,
      work(async (text) => {
        if (!target.write(text)) await Promise.race([failed, once(target, 'drain')])
      }),
    ])
    target.end()
    await Promise.race([failed, finished(out)])
    await rename(partial, file)
    return result
  } catch (error) {
    out.destroy()
    await rm(partial, { force: true })
    throw error
  }
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/**
 * The lines of a file, in batches. The file may be gzipped, with any name. Throws `TransferRefusedError` where it
 * is damaged.
 */
export async function* linesOf(file: string): AsyncGenerator<string[]> {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    const source = handle.createReadStream({ start: 0, autoClose: false })
    yield* readLines(buffer.equals(gzipMark) ? unzip(source) : source)
  } finally {
    await handle.close()
  }
}

async function* unzip(source: Readable): AsyncGenerator<Buffer> {
  const unzipped = createGunzip()
  source.on('error', (error) => unzipped.destroy(error))
  source.pipe(unzipped)
  try {
    yield* unzipped
  } catch (error) {
    const isDamage = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isDamage ? new TransferRefusedError('the file is damaged or cut off: it cannot be unzipped') : error
  }
}
