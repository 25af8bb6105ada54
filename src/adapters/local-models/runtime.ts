import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** Searches go on while a model runs: half of the cores, and not more than help. */
export const modelThreads = Math.max(1, Math.min(4, availableParallelism() >> 1))

/** The SHA-256 of files one after another, in hexadecimal digits. */
export async function hashOf(...paths: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    for await (const chunk of createReadStream(path)) hash.update(chunk)
  }
  return hash.digest('hex')
}

const maxRead = 2 ** 30

function check(file: string, found: string, expected: string): void {
  if (found !== expected.toLowerCase())
    throw new Error(`${file} is not the file that model.json names: its SHA-256 differs`)
}

/** A file of a model. Throws if it has another SHA-256 than the expected one. */
export async function checkedPath(directory: string, file: string, expected: string | undefined): Promise<string> {
  const path = join(directory, file)
  if (expected !== undefined) check(file, await hashOf(path), expected)
  return path
}

/** The bytes of a file of a model, which is whole, or in parts: `.part1` and so on. Throws as `checkedPath` does. */
export async function checkedBytes(
  directory: string,
  file: string,
  expected: string | undefined,
  parts = 0,
): Promise<Buffer<ArrayBuffer>> {
  const names = parts === 0 ? [file] : Array.from({ length: parts }, (_, i) => `${file}.part${i + 1}`)
  const paths = names.map((name) => join(directory, name))
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
  const bytes = Buffer.from(new ArrayBuffer(sizes.reduce((sum, size) => sum + size, 0)))
  // Into their place: the chunks of a stream would stay in the memory of malloc. One read takes less than 2 GiB.
  let end = 0
  for (const path of paths) {
    await using handle = await open(path)
    for (let read = -1; read !== 0; end += read) {
      read = (await handle.read(bytes, end, Math.min(bytes.length - end, maxRead))).bytesRead
    }
  }
  if (expected !== undefined) check(file, createHash('sha256').update(bytes).digest('hex'), expected)
  return bytes
}
