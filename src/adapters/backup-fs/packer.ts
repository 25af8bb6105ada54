import { blockBytes, objectBytes, type Piece, type Snapshot, type SnapshotFile, type StoredObject } from './format.ts'
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

/** The first bytes of a block's SHA-256. */
export const printBytes = 16

/** Where the blocks of a file are in the snapshot before. */
interface EarlierFile {
  prints: Buffer
  /** The place of a block, or null when it is to be written again. */
  placeOf(block: number): { object: StoredObject; offset: number } | 'zeros' | null
  /** The pieces of its prints, to be used again when they are the same. */
  printPieces: readonly { object: StoredObject; offset: number; bytes: number }[] | null
}

export interface EarlierSnapshot {
  file(path: string): Promise<EarlierFile | null>
}

/** An object of which less than this part is still used is not used again: its rest is written into a new one. */
const minShare = 0.25

/** Reads what the next snapshot can share with this one. Objects that are missing or cut are not shared. */
export async function earlierSnapshot(repository: Repository, snapshot: Snapshot): Promise<EarlierSnapshot> {
  const used = snapshot.objects.map(() => 0)
  const count = ([object, , bytes]: Piece) => {
    if (object >= 0) used[object] = (used[object] ?? 0) + bytes
  }
  for (const { pieces, prints } of snapshot.files) for (const piece of [...pieces, ...prints]) count(piece)
  const usable = await Promise.all(
    snapshot.objects.map(async (object, i) => {
      return (used[i] ?? 0) >= object.content * minShare && (await repository.has(object)) ? object : null
    }),
  )
  const files = new Map(snapshot.files.map((file) => [file.path, file]))
  const contents = new Map<number, Uint8Array>()
  const contentOf = async (number: number) => {
    const known = contents.get(number)
    if (known) return known
    const object = usable[number]
    // Damage is found by a restore; a backup writes such content again.
    const content = object ? await repository.get(object).catch(() => null) : null
    if (content && contents.size > 8) contents.clear()
    if (content) contents.set(number, content)
    return content
  }

  const printsOf = async (file: SnapshotFile): Promise<Buffer | null> => {
    const parts: Uint8Array[] = []
    for (const [number, offset, bytes] of file.prints) {
      const content = number === -1 ? new Uint8Array(offset + bytes) : await contentOf(number)
      if (!content) return null
      parts.push(content.subarray(offset, offset + bytes))
    }
    return Buffer.concat(parts)
  }

  return {
    async file(path) {
      const file = files.get(path)
      const prints = file && (await printsOf(file))
      if (!file || !prints) return null
      const places = placesOf(file.pieces)
      const printPieces = file.prints.map(([number, offset, bytes]) => ({ object: usable[number], offset, bytes }))
      return {
        prints,
        printPieces: printPieces.every(hasObject) ? printPieces : null,
        placeOf(block) {
          const place = places(block)
          if (!place) return null
          if (place.number === -1) return 'zeros'
          const object = usable[place.number]
          return object ? { object, offset: place.offset } : null
        },
      }
    },
  }
}

const hasObject = <T extends { object: StoredObject | null | undefined }>(
  piece: T,
): piece is T & { object: StoredObject } => piece.object !== null && piece.object !== undefined

/** Finds whole blocks, or the shorter last one, in the pieces of a file. Blocks must come in order. */
function placesOf(pieces: readonly Piece[]) {
  const joined: Piece[] = []
  for (const piece of pieces) append(joined, [...piece])
  let [i, begin] = [0, 0]
  const total = joined.reduce((sum, [, , bytes]) => sum + bytes, 0)
  return (block: number): { number: number; offset: number } | null => {
    const at = block * blockBytes
    const end = Math.min(at + blockBytes, total)
    for (let piece = joined[i]; piece && begin + piece[2] <= at; piece = joined[i]) {
      begin += piece[2]
      i += 1
    }
    const piece = joined[i]
    // A block that is split between two objects is written again.
    if (!piece || at >= total || begin + piece[2] < end) return null
    return { number: piece[0], offset: piece[1] + at - begin }
  }
}
