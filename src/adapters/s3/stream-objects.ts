import { createHash } from 'node:crypto'
import { GetObjectCommand, HeadObjectCommand, NotFound, PutObjectCommand } from '@aws-sdk/client-s3'
import { pauseAfter, retried } from '../../async/backoff.ts'
import { type ByteRange, exactly } from '../../model/exact-bytes.ts'
import type { OpenObject } from '../../ports/stores/object-store.ts'
import { failuresOf, isFailure } from '../resilience/remote-error.ts'
import { attempts, type S3 } from './client.ts'
import { spool } from './spool.ts'

const retryMs = { first: 200 }

interface Address {
  Bucket: string
  Key: string
}

/** A read takes this much at a time, so that a reader may pause between two pieces for as long as it likes. */
const pieceBytes = 4 * 2 ** 20

/** The slowest connection to a store, in bytes per millisecond, that a long write may have. */
const slowest = 2 ** 20 / 1000

/**
 * Sends the chunks from a file in `folder`: the store learns their SHA-256 before their first byte, and no store sees
 * bytes of an upload that breaks off.
 */
export async function putStream(
  { client, within }: S3,
  address: Address,
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
  { folder, callMs }: { folder: string; callMs: number },
): Promise<void> {
  const { file, sha256 } = await spool(folder, exactly(chunks, bytes))
  const send = () =>
    within(
      'PutObject',
      async (abortSignal) => {
        const Body = bytes === 0 ? '' : file.createReadStream({ start: 0, autoClose: false })
        const put = new PutObjectCommand({ ...address, Body, ContentLength: bytes, Metadata: { sha256 } })
        const { ETag } = await client.send(put, { abortSignal })
        if (!ETag) throw new Error('the answer is not that of an object store')
      },
      Math.ceil(callMs + bytes / slowest),
    )
  try {
    // The SDK does not repeat a request whose body is a stream.
    await retried(send, (error, before) => {
      const isTemporary = isFailure(error, 'timeout', 'unreachable', 'busy', 'broken')
      return isTemporary && before + 1 < attempts ? pauseAfter(retryMs, before) : null
    })
  } finally {
    await file.close()
  }
}

/** Null when there is no such object. Bytes of a whole read are compared with the SHA-256 that they were stored with. */
export async function openStream(
  { client, within }: S3,
  address: Address,
  range?: ByteRange,
): Promise<OpenObject | null> {
  const found = await within('HeadObject', (abortSignal) =>
    client.send(new HeadObjectCommand(address), { abortSignal }).catch(nullIfMissing),
  )
  if (found === null) return null
  const { ContentLength: bytes, Metadata } = found
  if (bytes === undefined || Metadata?.sha256 === undefined) throw notStored('HeadObject')
  const piece = (start: number, end: number) =>
    within('GetObject', async (abortSignal) => {
      const get = new GetObjectCommand({ ...address, Range: `bytes=${start}-${end}` })
      const { Body } = await client.send(get, { abortSignal })
      const read = (await Body?.transformToByteArray()) ?? new Uint8Array()
      if (read.byteLength !== end - start + 1) throw new Error('the bytes end early')
      return read
    })
  const pieces = (start: number, end: number) => readPieces(piece, start, end)
  return { bytes, stream: range ? pieces(range.start, range.end) : checked(pieces(0, bytes - 1), Metadata.sha256) }
}

async function* readPieces(
  piece: (start: number, end: number) => Promise<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at <= end; at += pieceBytes) yield await piece(at, Math.min(at + pieceBytes - 1, end))
}

/** Holds back the last chunk until the bytes are known to be right. */
async function* checked(chunks: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let last: Uint8Array | null = null
  for await (const chunk of chunks) {
    if (last) yield last
    hash.update(chunk)
    last = chunk
  }
  if (hash.digest('hex') !== sha256) throw notStored('GetObject')
  if (last) yield last
}

const notStored = (operation: string) =>
  failuresOf('S3')('malformed', `${operation} failed: these are not the bytes that were stored`)

function nullIfMissing(error: unknown): null {
  if (error instanceof NotFound) return null
  throw error
}
