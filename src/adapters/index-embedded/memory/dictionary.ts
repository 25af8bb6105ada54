import { type Column, type Store, startOf } from './store.ts'

/** Long enough for most words; grows to the longest string so far. Not shared: each thread has its own. */
let scratch = Buffer.alloc(1024)
/** No text of the catalog has this character. */
const joint = 0
const encoder = new TextEncoder()

/**
 * Strings numbered from 0 in order of arrival: UTF-8 in one column, found by an open-addressing hash table in another.
 * Numbers never change; strings are never removed.
 */
export class Dictionary {
  readonly #bytes: Column<'u8'>
  /** Where each string ends in `#bytes`. */
  readonly #ends: Column<'u32'>
  /** The number + 1, or 0 if free. */
  readonly #slots: Column<'u32'>
  #view: Buffer<ArrayBufferLike> = Buffer.alloc(0)

  constructor(store: Store, name: string) {
    this.#bytes = store.column(`${name}.bytes`, 'u8')
    this.#ends = store.column(`${name}.ends`, 'u32')
    this.#slots = store.column(`${name}.slots`, 'u32')
  }

  get size(): number {
    return this.#ends.length
  }

  /** -1 if it is missing. */
  find(text: string): number {
    if (this.#slots.length === 0) return -1
    const length = encode(text)
    return (this.#slots.array[this.#slotOf(length)] ?? 0) - 1
  }

  /** Adds it if it is missing. */
  intern(text: string): number {
    if (2 * (this.size + 1) > this.#slots.length) this.#rehash(Math.max(16, 4 * this.size))
    const length = encode(text)
    const slot = this.#slotOf(length)
    const found = (this.#slots.array[slot] ?? 0) - 1
    if (found >= 0) return found
    const start = this.#bytes.extend(length)
    this.#bytes.array.set(scratch.subarray(0, length), start)
    const number = this.#ends.push(start + length)
    this.#slots.array[slot] = number + 1
    return number
  }

  /** Without its first bytes, if some are to be left out. */
  text(number: number, from = 0): string {
    const { buffer } = this.#bytes.array
    if (this.#view.buffer !== buffer) this.#view = Buffer.from(buffer)
    return this.#view.toString('utf8', startOf(this.#ends.array, number) + from, this.#ends.array[number])
  }

  /** Of its UTF-8. */
  byteLength(number: number): number {
    return (this.#ends.array[number] ?? 0) - startOf(this.#ends.array, number)
  }

  /** A byte of its UTF-8; undefined after its end. */
  byteAt(number: number, place: number): number | undefined {
    const at = startOf(this.#ends.array, number) + place
    return at < (this.#ends.array[number] ?? 0) ? this.#bytes.array[at] : undefined
  }

  /** How many bytes from one of its own on are the same as others from their first on; of those, the first `count`. */
  sameBytes(number: number, from: number, others: Uint8Array, count = others.length): number {
    const bytes = this.#bytes.array
    const start = startOf(this.#ends.array, number) + from
    const length = Math.min(count, (this.#ends.array[number] ?? 0) - start)
    let same = 0
    while (same < length && bytes[start + same] === others[same]) same++
    return same
  }

  /** Some of them, joined by NUL: making one string is far faster than making many. */
  joined(numbers: Uint32Array): string {
    const [bytes, ends] = [this.#bytes.array, this.#ends.array]
    let length = 0
    for (let i = 0; i < numbers.length; i++) length += 1 + (ends[numbers[i] ?? 0] ?? 0) - startOf(ends, numbers[i] ?? 0)
    if (scratch.length < length) scratch = Buffer.alloc(2 * length)
    let at = 0
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] ?? 0
      if (i > 0) scratch[at++] = joint
      const end = ends[number] ?? 0
      for (let from = startOf(ends, number); from < end; from++) scratch[at++] = bytes[from] ?? 0
    }
    return scratch.toString('utf8', 0, at)
  }

  /** In order of arrival. */
  all(): string[] {
    return Array.from({ length: this.size }, (_, number) => this.text(number))
  }

  /** Negative when string `a` comes before string `b` by code points. */
  compare(a: number, b: number): number {
    const bytes = this.#bytes.array
    const [startA, startB] = [startOf(this.#ends.array, a), startOf(this.#ends.array, b)]
    const length = Math.min(this.byteLength(a), this.byteLength(b))
    let at = 0
    while (at < length && bytes[startA + at] === bytes[startB + at]) at++
    return (this.byteAt(a, at) ?? -1) - (this.byteAt(b, at) ?? -1)
  }

  /** The slot of the string in `scratch`, or the free slot where it belongs. */
  #slotOf(length: number): number {
    const { array: slots, length: capacity } = this.#slots
    let slot = hash(scratch, 0, length) & (capacity - 1)
    for (;;) {
      const held = slots[slot] ?? 0
      if (held === 0 || this.#holds(held - 1, length)) return slot
      slot = (slot + 1) & (capacity - 1)
    }
  }

  #holds(number: number, length: number): boolean {
    return this.byteLength(number) === length && this.sameBytes(number, 0, scratch, length) === length
  }

  #rehash(minCapacity: number): void {
    const capacity = 2 ** Math.ceil(Math.log2(minCapacity))
    this.#slots.reset(capacity)
    const { array: slots } = this.#slots
    for (let number = 0; number < this.size; number++) {
      let slot =
        hash(this.#bytes.array, startOf(this.#ends.array, number), this.#ends.array[number] ?? 0) & (capacity - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (capacity - 1)
      slots[slot] = number + 1
    }
  }
}

/** Puts the UTF-8 of a string into `scratch`; returns its length. */
function encode(text: string): number {
  if (scratch.length < 3 * text.length) scratch = Buffer.alloc(6 * text.length)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return encoder.encodeInto(text, scratch).written
    scratch[i] = unit
  }
  return text.length
}

/** FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/, with its high bits folded into the low ones. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5
  for (let i = start; i < end; i++) h = Math.imul(h ^ (bytes[i] ?? 0), 0x01000193)
  return (h ^ (h >>> 15)) >>> 0
}
