import { blockBytes, objectBytes, type Piece, type StoredObject } from './format.ts'
import type { Repository } from './repository.ts'

/** Collects the content of a snapshot into objects. */
export interface Packer {
  /** Adds content to the pieces of a file, in order. */
  add(pieces: Piece[], content: Uint8Array): Promise<void>
  /** Adds a piece that an object of an earlier snapshot has. */
  reuse(pieces: Piece[], object: StoredObject, offset: number, bytes: number): void
  /** Writes what is left; returns all objects, and the bytes that are new. */
  finish(): Promise<{ objects: StoredObject[]; added: number }>
}

export function createPacker(repository: Repository): Packer {
  const objects: StoredObject[] = []
  const numbers = new Map<string, number>()
  let added = 0
  let buffer = Buffer.alloc(objectBytes)
  let used = 0
  /** The pieces that wait for the number of the object that is being filled. */
  let open: Piece[] = []

  const numberOf = (object: StoredObject): number => {
    const known = numbers.get(object.sha256)
    if (known !== undefined) return known
    numbers.set(object.sha256, objects.length)
    return objects.push(object) - 1
  }

  const flush = async () => {
    if (used === 0) return
    const { object, isNew } = await repository.put(buffer.subarray(0, used))
    if (isNew && !numbers.has(object.sha256)) added += object.bytes
    const number = numberOf(object)
    for (const piece of open) piece[0] = number
    open = []
    used = 0
    buffer = Buffer.alloc(objectBytes)
  }

  return {
    async add(pieces, content) {
      // A block that is split between two objects could not be shared.
      if (content.length <= blockBytes && used + content.length > objectBytes) await flush()
      for (let at = 0; at < content.length; ) {
        if (used === objectBytes) await flush()
        const part = content.subarray(at, at + objectBytes - used)
        const last = pieces.at(-1)
        const isNext = last !== undefined && open.at(-1) === last && last[1] + last[2] === used
        if (isNext) last[2] += part.length
        else {
          const piece: Piece = [unnumbered, used, part.length]
          pieces.push(piece)
          open.push(piece)
        }
        buffer.set(part, used)
        used += part.length
        at += part.length
      }
    },
    reuse(pieces, object, offset, bytes) {
      append(pieces, [numberOf(object), offset, bytes])
    },
    async finish() {
      await flush()
      return { objects, added }
    },
  }
}

/** Until the object is stored. */
const unnumbered = -2

/** Adds a piece, or makes the last one longer. */
export function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1)
  if (last && last[0] === piece[0] && (piece[0] === -1 || last[1] + last[2] === piece[1])) last[2] += piece[2]
  else pieces.push(piece)
}
