import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKernel, createMemory } from '../../src/adapters/index-embedded/kernel/kernel.ts'
import { tempDir } from '../support/temp-dir.ts'

/** The value of all memory before a call; any other value was written by the kernel. */
const untouched = 0xa5
const memory = createMemory(131_072)
const kernel = createKernel(memory)
const buffer = memory.buffer as unknown as SharedArrayBuffer
const bytes = new Uint8Array(buffer)

const queryAt = 16
const slotsAt = 12_288
const outAt = 16_384
const rowsAt = 32_768

interface Case {
  /** Blocks of 16 bytes. */
  blocks: number
  query: Uint8Array
  rows: Uint8Array[]
  /** Unused bytes after each row. */
  gap?: number
  slots: number[]
}

function lay({ blocks, query, rows, gap = 0, slots }: Case) {
  bytes.fill(untouched)
  bytes.set(query, queryAt)
  for (const [i, row] of rows.entries()) bytes.set(row, rowsAt + i * (16 * blocks + gap))
  new Uint32Array(buffer, slotsAt, slots.length).set(slots)
}

/** The output of `call`, after a check that it wrote nothing else. */
function written(outBytes: number, call: () => void): ArrayBuffer {
  const before = bytes.slice()
  call()
  const out = bytes.slice(outAt, outAt + outBytes)
  before.set(out, outAt)
  expect(Buffer.compare(before, bytes)).toBe(0)
  return out.buffer
}

function dots(data: Case): Float32Array {
  lay(data)
  const { blocks, gap = 0, slots } = data
  const call = () => kernel.dots(queryAt, rowsAt, 16 * blocks + gap, blocks, slotsAt, slots.length, outAt)
  return new Float32Array(written(4 * slots.length, call))
}

function hamming(data: Case): Uint16Array {
  lay(data)
  const call = () => kernel.hamming(queryAt, rowsAt, data.blocks, slotsAt, data.slots.length, outAt)
  return new Uint16Array(written(2 * data.slots.length, call))
}

/** Of rows that follow each other. */
function hammingAll(data: Case, first: number, count: number): Uint16Array {
  lay(data)
  const call = () => kernel.hamming(queryAt, rowsAt + first * 16 * data.blocks, data.blocks, 0, count, outAt)
  return new Uint16Array(written(2 * count, call))
}

const floats = (values: Uint8Array) => new Float32Array(values.slice().buffer)
const bytesOf = (values: readonly number[]) => new Uint8Array(new Float32Array(values).buffer)
const filled = (length: number, value: number) => bytesOf(Array.from({ length }, () => value))
const bits = (values: Float32Array) => [...new Uint32Array(values.slice().buffer)]
const byOne = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i)

function rowOf(rows: readonly Uint8Array[], slot: number): Uint8Array {
  const row = rows[slot]
  if (!row) throw new Error(`no row ${slot}`)
  return row
}

function plainDot(a: Float32Array, b: Float32Array) {
  const products = Array.from(a, (value, i) => value * (b[i] ?? Number.NaN))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return { dot: sum(products), magnitude: sum(products.map(Math.abs)) }
}

function plainHamming(a: Uint8Array, b: Uint8Array): number {
  let differing = 0
  for (const [i, byte] of a.entries()) for (let x = byte ^ (b[i] ?? 0); x > 0; x >>= 1) differing += x & 1
  return differing
}

/** Slots in any order, some repeated, some in sequence; the lists are long enough for every path in the kernel. */
const slotsBelow = (rows: number) =>
  fc
    .array(fc.oneof(fc.nat(rows - 1), fc.constant(byOne(rows))), { maxLength: 20 })
    .map((parts) => parts.flat().slice(0, 200))

function cases(widths: readonly number[], row: (blocks: number) => fc.Arbitrary<Uint8Array>): fc.Arbitrary<Case> {
  return fc
    .record({ blocks: fc.constantFrom(...widths), rows: fc.integer({ min: 1, max: 19 }) })
    .chain(({ blocks, rows }) =>
      fc.record({
        blocks: fc.constant(blocks),
        query: row(blocks),
        rows: fc.array(row(blocks), { minLength: rows, maxLength: rows }),
        slots: slotsBelow(rows),
      }),
    )
}

const lanes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 96]
// Products of these, even the sum of 384, fit in float32. Uniform over bit patterns: subnormals, -0, any magnitude.
const wild = fc.float({ min: Math.fround(-1e17), max: Math.fround(1e17), noNaN: true })
const tame = fc.float({ min: -1, max: 1, noNaN: true })
const small = fc.integer({ min: -100, max: 100 })
const zero = fc.constant(0)
const rowOfNumbers = (number: fc.Arbitrary<number>) => (blocks: number) =>
  fc.array(number, { minLength: 4 * blocks, maxLength: 4 * blocks }).map(bytesOf)
const anyRow = (blocks: number) => fc.oneof(...[wild, tame, zero].map((number) => rowOfNumbers(number)(blocks)))
const gaps = fc.constantFrom(0, 4, 16, 48)

describe('dots', () => {
  /**
   * Float32 rounds by u = 2^-24. For any order of n products, the error of their sum is at most nu / (1 - nu) times the
   * sum of their magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 4.2). A product that is too small
   * for a normal number adds an error of 2^-150.
   */
  const tolerance = (n: number, magnitude: number) => ((n * 2 ** -24) / (1 - n * 2 ** -24)) * magnitude + n * 2 ** -150

  it('are those of a plain loop, up to rounding', () => {
    fc.assert(
      fc.property(cases(lanes, anyRow), gaps, (data, gap) => {
        const scores = dots({ ...data, gap })
        for (const [i, slot] of data.slots.entries()) {
          const { dot, magnitude } = plainDot(floats(data.query), floats(rowOf(data.rows, slot)))
          expect(Math.abs((scores[i] ?? Number.NaN) - dot)).toBeLessThanOrEqual(tolerance(4 * data.blocks, magnitude))
        }
      }),
    )
  })

  it('are exact for small whole numbers', () => {
    fc.assert(
      fc.property(cases(lanes, rowOfNumbers(small)), (data) => {
        const plain = data.slots.map((slot) => plainDot(floats(data.query), floats(rowOf(data.rows, slot))).dot)
        expect([...dots(data)]).toEqual(plain)
      }),
    )
  })

  it('of a row are the same to the bit wherever it is in the list, and in memory', () => {
    fc.assert(
      fc.property(cases(lanes, rowOfNumbers(wild)), (data) => {
        const twice = { ...data, rows: [...data.rows, ...data.rows] }
        const alone = twice.rows.map((_, slot) => bits(dots({ ...twice, slots: [slot] }))[0])
        expect(alone.slice(data.rows.length)).toEqual(alone.slice(0, data.rows.length))
        expect(bits(dots(twice))).toEqual(data.slots.map((slot) => alone[slot]))
        expect(bits(dots({ ...twice, slots: byOne(twice.rows.length) }))).toEqual(alone)
      }),
    )
  })

  it('are 0 for a zero vector, whatever it meets', () => {
    for (const blocks of lanes) {
      const none = filled(4 * blocks, 0)
      const huge = filled(4 * blocks, 3e38)
      const tiny = filled(4 * blocks, 1e-45)
      const slots = [0, 1, 2, 2, 1, 0, 0, 1, 2, 0, 1]
      expect(dots({ blocks, query: none, rows: [none, huge, tiny], slots })).toEqual(new Float32Array(slots.length))
      expect(dots({ blocks, query: huge, rows: [none], slots: [0] })).toEqual(new Float32Array(1))
    }
  })

  it('reach beyond 2 GiB, to the last byte of 4 GiB', () => {
    const large = createMemory(2 ** 32)
    const all = large.buffer as unknown as SharedArrayBuffer
    const [stride, end] = [1536, 2 ** 32]
    const slots = [0, 1, 5, 1_400_000, 1_000_001, 1_399_999, 2, 1_234_567, 1_400_000]
    const base = end - 1_400_001 * stride
    const [query, list, out] = [2 ** 31 + 64, 3 * 2 ** 30, base - 64]
    new Float32Array(all, query, 384).fill(1)
    new Uint32Array(all, list, slots.length).set(slots)
    for (const slot of slots) new Float32Array(all, base + slot * stride, 384).fill(slot % 1000)
    const sums = slots.map((slot) => 384 * (slot % 1000))
    createKernel(large).dots(query, base, stride, 96, list, slots.length, out)
    expect([...new Float32Array(all, out, slots.length)]).toEqual(sums)
  })

  it('of rows outside the memory are an error', () => {
    const data = { blocks: 1, query: bytesOf([1, 2, 3, 4]), rows: [], slots: [buffer.byteLength / 16] }
    expect(() => dots(data)).toThrow(WebAssembly.RuntimeError)
  })
})

describe('hamming distances', () => {
  // Widths around the limit of a byte counter, and around the limit where wide rows are processed one at a time.
  const widths = [1, 2, 3, 4, 5, 6, 8, 16, 17, 30, 31, 32, 62, 63]
  const row = (blocks: number) => {
    const length = 16 * blocks
    const same = (byte: number) => fc.constant(new Uint8Array(length).fill(byte))
    return fc.oneof(fc.uint8Array({ minLength: length, maxLength: length }), same(0), same(0xff))
  }

  it('by slots are those of a plain loop', () => {
    fc.assert(
      fc.property(cases(widths, row), (data) => {
        const plain = data.slots.map((slot) => plainHamming(data.query, rowOf(data.rows, slot)))
        expect([...hamming(data)]).toEqual(plain)
      }),
    )
  })

  it('of rows that follow each other are those of a plain loop', () => {
    fc.assert(
      fc.property(cases(widths, row), fc.nat(19), fc.nat(19), (data, a, b) => {
        const first = a % data.rows.length
        const some = data.rows.slice(first, first + b)
        expect([...hammingAll(data, first, some.length)]).toEqual(some.map((one) => plainHamming(data.query, one)))
      }),
    )
  })

  it('are a full count for by far the widest rows, up to what 16 bits hold', () => {
    for (const [blocks, max] of [
      [511, 65_408],
      [512, 65_535],
    ] as const) {
      const none = new Uint8Array(16 * blocks)
      const all = new Uint8Array(16 * blocks).fill(0xff)
      const data = { blocks, query: none, rows: [all, none, all, all, all], slots: [0, 1, 2, 3, 4] }
      expect([...hamming(data)]).toEqual([max, 0, max, max, max])
      expect([...hammingAll(data, 0, 5)]).toEqual([max, 0, max, max, max])
    }
  })
})

function plainTransform(values: readonly number[]): number[] {
  // From pairs of neighbours to pairs of halves: in float32 the order of additions matters.
  let all = Float32Array.from(values)
  for (let half = 1; half < all.length; half *= 2) {
    all = all.map((value, i) => (i & half ? (all[i - half] ?? 0) - value : value + (all[i + half] ?? 0)))
  }
  return [...all]
}

it('a sketch is the signs of a plain loop: twice signs and a Walsh-Hadamard transform', () => {
  const sized = fc.constantFrom(8, 16, 128, 512).chain((count) =>
    fc.record({
      values: fc.array(fc.float({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: count, maxLength: count }),
      signs: fc.array(fc.constantFrom(-1, 1), { minLength: 2 * count, maxLength: 2 * count }),
    }),
  )
  fc.assert(
    fc.property(sized, ({ values, signs }) => {
      const count = values.length
      const [valuesAt, signsAt] = [rowsAt, rowsAt + 4 * count]
      bytes.fill(untouched)
      new Float32Array(buffer, valuesAt, count).set(values)
      new Float32Array(buffer, signsAt, 2 * count).set(signs)
      kernel.sketch(valuesAt, signsAt, count, outAt)
      const once = plainTransform(values.map((value, i) => value * (signs[i] ?? 0)))
      const twice = plainTransform(once.map((value, i) => value * (signs[count + i] ?? 0)))
      const packed = Array.from({ length: count / 8 }, (_, byte) =>
        twice.slice(8 * byte, 8 * byte + 8).reduce((sum, value, bit) => sum + (value > 0 ? 2 ** bit : 0), 0),
      )
      expect([...bytes.subarray(outAt, outAt + count / 8)]).toEqual(packed)
      expect(bytes[outAt + count / 8]).toBe(untouched)
    }),
  )
})

it('values within a limit are those of a plain loop', () => {
  const value = fc.oneof(fc.nat(65_535), fc.constantFrom(0, 7, 32_767, 32_768, 65_535))
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), value, fc.nat(99), (values, max, first) => {
      lay({ blocks: 1, query: new Uint8Array(16), rows: [new Uint8Array(new Uint16Array(values).buffer)], slots: [] })
      const expected = values.flatMap((one, i) => (one <= max ? [first + i] : []))
      const out = written(4 * expected.length, () => {
        expect(kernel.within(rowsAt, values.length, max, first, outAt)).toBe(expected.length)
      })
      expect([...new Uint32Array(out)]).toEqual(expected)
    }),
  )
})

/** Rows of stems, from 1 on, in the memory from `rowsAt` on, as `weighTerms` takes and leaves them. */
function weighed(rows: readonly number[][]) {
  bytes.fill(untouched)
  let at = rowsAt
  const take = (length: number) => {
    at += length
    return at - length
  }
  const width = 2 * Math.ceil(rows.flat().length / 2) + 2
  const terms = take(36 * width)
  const perRow = () => take(16 * rows.length + 16)
  const [bounds, inverse, scores, means] = [perRow(), perRow(), perRow(), perRow()] as const
  const [idfs, logs, termOf, work] = [take(800), take(800), take(400), take(88 * rows.length)] as const
  const maxHolding = Math.floor(rows.length / 2)
  new Uint32Array(buffer, terms, width).set(rows.flat())
  const bound = new Uint32Array(buffer, bounds, rows.length + 1).fill(0)
  for (const [i, row] of rows.entries()) bound[i + 1] = (bound[i] ?? 0) + row.length
  const idf = Float64Array.from({ length: maxHolding + 2 }, (_, n) =>
    n > maxHolding ? 0 : Math.log(1 + (rows.length - n + 0.5) / (n + 0.5)),
  )
  new Float64Array(buffer, idfs, maxHolding + 2).set(idf)
  new Float64Array(buffer, logs, 50).forEach((_, n, all) => {
    all[n] = 1 + Math.log(n)
  })
  new Uint32Array(buffer, termOf, 100).fill(0)
  const count = kernel.weighTerms(terms, 4 * width, bounds, rows.length, termOf, idfs, maxHolding + 1, logs, inverse)
  expect(new Uint32Array(buffer, termOf, 100).every((term) => term === 0)).toBe(true)
  return { terms, width, bounds, inverse, scores, means, work, count, idf }
}

it('terms weigh what a plain loop gives, and scores of the nearest rows are averaged by it', () => {
  const rows = fc.array(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 12 }), { minLength: 3, maxLength: 14 })
  fc.assert(
    fc.property(rows, (rows) => {
      const { terms, width, bounds, inverse, scores, means, work, count, idf } = weighed(rows)
      const stems = [...new Set(rows.flat())]
      expect([...new Uint32Array(buffer, terms + 8 * width, count)]).toEqual(stems)
      const starts = new Uint32Array(buffer, terms + 20 * width, count + 1)
      const candidates = new Uint32Array(buffer, terms + 24 * width, width)
      const weights = new Float64Array(buffer, terms + 28 * width, width)
      const vectors = rows.map(() => stems.map(() => 0))
      for (const [term, stem] of stems.entries()) {
        const holding = rows.flatMap((row, i) => (row.includes(stem) ? [i] : []))
        const own = [starts[term] ?? 0, starts[term + 1] ?? 0] as const
        expect([...candidates.subarray(...own)]).toEqual(holding)
        const expected = holding.map((row) => {
          const times = rows[row]?.filter((one) => one === stem).length ?? 0
          return (1 + Math.log(times)) * (idf[Math.min(holding.length, idf.length - 1)] ?? 0)
        })
        expect([...weights.subarray(...own)]).toEqual(expected)
        for (const [i, row] of holding.entries()) (vectors[row] ?? [])[term] = expected[i] ?? 0
      }
      const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
      const norms = vectors.map((vector) => (dot(vector, vector) === 0 ? 0 : 1 / Math.sqrt(dot(vector, vector))))
      expect([...new Float64Array(buffer, inverse, rows.length)]).toEqual(norms)
      const given = rows.map((_, i) => 1 / (i + 1))
      new Float64Array(buffer, scores, rows.length).set(given)
      kernel.meanOfNearest(terms, 4 * width, count, bounds, rows.length, inverse, scores, work, means)
      const expected = vectors.map((vector, a) => {
        const others = vectors.flatMap((other, b) => {
          const [first, second] = a > b ? [a, b] : [b, a]
          return a === b ? [] : [{ b, cosine: dot(vector, other) * (norms[first] ?? 0) * (norms[second] ?? 0) }]
        })
        const near = others.toSorted((x, y) => y.cosine - x.cosine || x.b - y.b).slice(0, 5)
        const total = near.reduce((sum, { cosine }) => sum + cosine, 0)
        return total === 0 ? 0 : near.reduce((sum, { b, cosine }) => sum + cosine * (given[b] ?? 0), 0) / total
      })
      expect([...new Float64Array(buffer, means, rows.length)]).toEqual(expected)
      expect(bytes[work + 88 * rows.length]).toBe(untouched)
    }),
  )
})

describe('the kernel', () => {
  it('keeps nothing in the memory, and does nothing for no rows', () => {
    bytes.fill(untouched)
    const nothing = written(0, () => {
      const other = createKernel(memory)
      other.dots(queryAt, rowsAt, 16, 1, slotsAt, 0, outAt)
      other.hamming(queryAt, rowsAt, 1, slotsAt, 0, outAt)
      expect(other.within(rowsAt, 0, 65_535, 0, outAt)).toBe(0)
    })
    expect(nothing.byteLength).toBe(0)
  })

  it('sees memory that was added later', () => {
    const growing = createMemory(65_536)
    const early = createKernel(growing)
    expect(growing.grow(1)).toBe(1)
    const later = new Float32Array(growing.buffer as unknown as SharedArrayBuffer, 65_536, 8).fill(2)
    early.dots(65_536, 65_536, 16, 1, 0, 1, 65_536 + 16)
    expect(later[4]).toBe(16)
  })

  it('says how to build it where that was not done', async () => {
    const folder = tempDir('kernel')
    try {
      const copy = join(folder.path, 'kernel.ts')
      await copyFile('src/adapters/index-embedded/kernel/kernel.ts', copy)
      const unbuilt: { createKernel: typeof createKernel } = await import(pathToFileURL(copy).href)
      expect(() => unbuilt.createKernel(memory)).toThrow('npm run build:kernel')
    } finally {
      folder.remove()
    }
  })
})
