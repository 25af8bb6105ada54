import { createHash } from 'node:crypto'
import { TransferRefusedError } from '../../model/transfer.ts'
import type { TransferWriter } from '../../ports/catalog/transfer.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { sourceKey } from '../sources/purge-sources.ts'
import type { SourcePiece } from './records.ts'

/**
 * Joins the bytes of sources and puts them into the object store, one source after another. The bytes may be stored
 * before the records: without records nobody can access them. Adds their keys to `stored`.
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
    /** The current source has no more pieces. */
    end: store,
  }
}
