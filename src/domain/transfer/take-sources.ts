import { createHash } from 'node:crypto'
import { TransferRefusedError } from '../../model/transfer.ts'
import type { TransferWriter } from '../../ports/transfer.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { sourceKey } from '../sources/purge-sources.ts'
import type { SourcePiece } from './records.ts'

/**
 * Puts the bytes of sources together and into the object store, one source after another. They may be there before the
 * records are: without those nobody comes by them. Their keys go to `stored`.
 */
export function createSourceTaker({ objects }: Pick<Bindings, 'objects'>, tx: TransferWriter, stored: string[]) {
  let pieces: SourcePiece[] = []

  const store = async () => {
    const [first] = pieces
    if (!first) return
    const bytes = Buffer.concat(pieces.map((piece) => piece.bytes))
    pieces = []
    const source = await tx.source(first.namespaceId, first.id)
    if (source?.sha256 !== createHash('sha256').update(bytes).digest('hex')) {
      throw new TransferRefusedError('the bytes of a source are not those that its record names')
    }
    const key = sourceKey(first.namespaceId, first.id)
    stored.push(key)
    await objects.put(key, bytes)
  }

  return {
    take: async (piece: SourcePiece) => {
      const [first] = pieces
      if (first && (first.namespaceId !== piece.namespaceId || first.id !== piece.id)) await store()
      pieces.push(piece)
    },
    /** The source at hand has no further pieces. */
    end: store,
  }
}
