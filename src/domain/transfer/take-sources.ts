import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { sourceBytes, TransferRefusedError } from '../../model/transfer.ts'
import type { TransferWriter } from '../../ports/catalog/transfer.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { sourceKey, textKey } from '../sources/purge-sources.ts'
import type { SourcePiece } from './records.ts'

/** An object that is being stored. */
interface Open {
  first: SourcePiece
  take(bytes: Buffer): Promise<void>
  end(): Promise<void>
  abandon(): Promise<void>
}

type Deps = Pick<Bindings, 'objects'>

/**
 * Puts the bytes and texts of sources into the object store, piece by piece, one after another. They may be stored before
 * the records: without records nobody can access them. Adds their keys to `stored`.
 */
export function createSourceTaker(deps: Deps, tx: TransferWriter, stored: string[]) {
  let open: Open | null = null

  const end = async () => {
    const done = open
    open = null
    await done?.end()
  }

  return {
    take: async (piece: SourcePiece) => {
      if (open && !isSame(open.first, piece)) await end()
      open ??= await begin(deps, tx, piece, stored)
      await open.take(piece.bytes)
    },
    /** The current object has no more pieces. */
    end,
    abandon: async () => {
      await open?.abandon()
      open = null
    },
  }
}

const isSame = (a: SourcePiece, b: SourcePiece) => a.kind === b.kind && a.namespaceId === b.namespaceId && a.id === b.id

async function begin({ objects }: Deps, tx: TransferWriter, first: SourcePiece, stored: string[]): Promise<Open> {
  const { kind, namespaceId, id } = first
  const source = await tx.source(namespaceId, id)
  if (!source) throw otherBytes()
  const key = (kind === sourceBytes ? sourceKey : textKey)(namespaceId, id)
  stored.push(key)
  return kind === sourceBytes
    ? streamed(objects, key, source, first)
    : collected((bytes) => objects.put(key, bytes), first)
}

/** A text has at most 64 MiB characters, and its length is not known before its end. */
function collected(put: (bytes: Buffer) => Promise<void>, first: SourcePiece): Open {
  const pieces: Buffer[] = []
  return {
    first,
    take: async (bytes) => void pieces.push(bytes),
    end: () => put(Buffer.concat(pieces)),
    abandon: async () => {},
  }
}

function streamed(
  objects: Bindings['objects'],
  key: string,
  source: { sha256: string; bytes: number },
  first: SourcePiece,
): Open {
  const stream = new PassThrough()
  const digest: Hash = createHash('sha256')
  let taken = 0
  let failure: unknown
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const put = objects.putStream(key, stream, source.bytes).catch((error: unknown) => {
    failure = error
    failed.reject(error)
  })
  // A stream that is destroyed says so to its reader, which is `put`.
  stream.on('error', () => {})
  const abandon = async () => {
    stream.destroy(otherBytes())
    await put
  }
  return {
    first,
    abandon,
    take: async (bytes) => {
      taken += bytes.length
      if (taken > source.bytes) throw otherBytes()
      digest.update(bytes)
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), failed.promise])
    },
    end: async () => {
      if (taken !== source.bytes || digest.digest('hex') !== source.sha256) {
        await abandon()
        throw otherBytes()
      }
      stream.end()
      await put
      if (failure !== undefined) throw failure
    },
  }
}

const otherBytes = () => new TransferRefusedError('the bytes of a source are not those that its record names')
