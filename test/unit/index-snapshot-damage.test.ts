import { readFileSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Header,
  magic,
  prefixBytes,
  readSnapshot,
  snapshotPath,
  writeSnapshot,
} from '../../src/adapters/index-embedded/shard/snapshot.ts'
import { sketchBytes } from '../../src/adapters/index-embedded/vectors/sketch.ts'
import { createChance } from '../durability/load.ts'
import { shardOf, variedUnits } from '../support/index/shards.ts'
import { tempDir } from '../support/temp-dir.ts'

const seed = 20_261_121
const folder = tempDir('damage')
const path = snapshotPath(folder.path, 'ns')
let whole: Buffer
let header: Header
/** The offsets of the header and of each section, and the file size. */
let borders: number[]

beforeAll(async () => {
  await writeSnapshot(folder.path, 'ns', shardOf(variedUnits()), 8)
  whole = readFileSync(path)
  const headerEnd = prefixBytes + whole.readUInt32LE(magic.length)
  header = JSON.parse(whole.toString('utf8', prefixBytes, headerEnd))
  borders = [0, magic.length, magic.length + 4, prefixBytes, headerEnd]
  const widths = { u8: 1, u32: 4, f64: 8 }
  const sizes = header.columns.map(({ kind, length }) => widths[kind] * length)
  sizes.push(...header.matrices.map(({ dims, slots }) => slots * Math.ceil(dims / 4) * 16))
  sizes.push(...header.matrices.map(({ dims, slots }) => slots * sketchBytes(dims)))
  for (const size of sizes) borders.push((borders.at(-1) ?? 0) + size)
})
afterAll(() => folder.remove())

/** Checks that these bytes are read as a damaged snapshot, without an exception. */
async function expectDamaged(bytes: Uint8Array, where: string): Promise<void> {
  writeFileSync(path, bytes)
  const { shard, cursor, damage } = await readSnapshot(folder.path, 'ns')
  expect([cursor, shard.rowCount, shard.unitIds.size, shard.matrices.length], where).toEqual([0, 0, 0, 0])
  expect(damage, where).toMatch(/^\w.*\w$/)
}

/** A changed header with a correct checksum, in front of the unchanged sections. */
function withHeader(changed: object): Buffer {
  const json = Buffer.from(JSON.stringify({ ...header, ...changed }))
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32LE(json.length, 0)
  sizes.writeUInt32LE(crc32(json), 4)
  return Buffer.concat([Buffer.from(magic), sizes, json, whole.subarray(borders[4])])
}

describe('a snapshot file is of no use', () => {
  it('when any of its bytes changed', async () => {
    expect(borders.at(-1)).toBe(whole.length)
    const chance = createChance(seed)
    const positions = new Set(Array.from({ length: prefixBytes }, (_, i) => i))
    for (const [i, border] of borders.entries()) {
      const size = (borders[i + 1] ?? border) - border
      if (size > 0) for (const at of [0, size - 1, chance(size), chance(size)]) positions.add(border + at)
    }
    while (positions.size < 800) positions.add(chance(whole.length))
    for (const at of positions) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ (1 + chance(255))
      await expectDamaged(bytes, `byte ${at} of ${whole.length}`)
    }
  })

  it('when it ends early, or continues', async () => {
    const chance = createChance(seed)
    const lengths = [...borders.slice(0, -1), ...borders.slice(1).map((border) => border - 1)]
    for (let i = 0; i < 200; i++) lengths.push(chance(whole.length))
    for (const length of new Set(lengths)) await expectDamaged(whole.subarray(0, length), `cut to ${length}`)
    for (const more of [1, 100, whole.length]) {
      await expectDamaged(Buffer.concat([whole, whole.subarray(0, more)]), `${more} bytes more`)
    }
  })

  it('when it is another namespace’s', async () => {
    await writeSnapshot(folder.path, 'other', shardOf(variedUnits()), 9)
    await expectDamaged(readFileSync(snapshotPath(folder.path, 'other')), 'swapped')
  })

  it('when it is of another format, older or newer', async () => {
    for (const format of ['RIDX0001', 'RIDX9999', 'PK\u0003\u0004PKPK', '        ']) {
      await expectDamaged(Buffer.concat([Buffer.from(format), whole.subarray(magic.length)]), format)
    }
  })

  it('when its header is signed but makes no sense', async () => {
    const [column] = header.columns
    const [matrix] = header.matrices
    for (const changed of [
      { columns: header.columns.slice(1) },
      { columns: [...header.columns, { ...column, name: 'one too many', length: 5 }] },
      { columns: header.columns.map((c) => ({ ...c, kind: 'f64' })) },
      { columns: header.columns.map((c) => ({ ...c, kind: 'f16' })) },
      { columns: header.columns.map((c) => ({ ...c, length: -1 })) },
      { columns: null },
      { matrices: undefined },
      { matrices: header.matrices.map((m) => ({ ...m, dims: m.dims + 4 })) },
      { matrices: [matrix, matrix, matrix, matrix] },
    ]) {
      await expectDamaged(withHeader(changed), JSON.stringify(changed))
    }
    for (const json of ['', 'null', '[]', '{}', '{"namespaceId":"ns"}', '{"namespaceId":"ns","cursor":3']) {
      const text = Buffer.from(json)
      const sizes = Buffer.alloc(8)
      sizes.writeUInt32LE(text.length, 0)
      sizes.writeUInt32LE(crc32(text), 4)
      await expectDamaged(Buffer.concat([Buffer.from(magic), sizes, text]), json)
    }
  })

  it('when it promises gigabytes, which are never allocated', async () => {
    const before = process.memoryUsage()
    const sized = Buffer.from(whole)
    for (const length of [2 ** 20 + 1, 2 ** 31, 2 ** 32 - 1]) {
      sized.writeUInt32LE(length, magic.length)
      await expectDamaged(sized, `a header of ${length} bytes`)
    }
    for (const length of [2 ** 28, 2 ** 31, 2 ** 40, 2 ** 53]) {
      await expectDamaged(withHeader({ columns: header.columns.map((c) => ({ ...c, length })) }), `${length} values`)
      for (const promise of [{ dims: length }, { slots: length }]) {
        const matrices = header.matrices.map((matrix) => ({ ...matrix, ...promise }))
        await expectDamaged(withHeader({ matrices }), JSON.stringify(promise))
      }
    }
    const after = process.memoryUsage()
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(2 ** 28)
  })
})
