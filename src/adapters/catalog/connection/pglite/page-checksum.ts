/** PostgreSQL's page size, as PGlite is built. */
export const pageBytes = 8192

const sums = 32
const prime = 16777619
const checksumAt = 8

/** The initial values of the parallel sums: `checksumBaseOffsets` in PostgreSQL's storage/checksum_impl.h. */
const offsets = Uint32Array.of(
  ...[0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c],
  ...[0xf8d4474f, 0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb],
  ...[0xe58f764b, 0x187636bc, 0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4],
  ...[0x783125bb, 0x6ca8eaa2, 0xe407eac6, 0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756],
)

/**
 * The checksum of a page: FNV-1a over 32 interleaved sums, with the stored checksum taken as zero, then mixed with the
 * block's number. Source: `pg_checksum_page` in PostgreSQL's storage/checksum_impl.h.
 */
export function pageChecksum(page: DataView, block: number): number {
  const state = offsets.slice()
  const mix = (lane: number, value: number) => {
    const mixed = (state[lane] ?? 0) ^ value
    state[lane] = Math.imul(mixed, prime) ^ (mixed >>> 17)
  }
  for (let at = 0; at < pageBytes; at += 4) {
    const word = page.getUint32(at, true)
    // The checksum is the lower half of its word.
    mix((at / 4) % sums, at === checksumAt ? word & 0xffff0000 : word)
  }
  for (let round = 0; round < 2; round += 1) for (let lane = 0; lane < sums; lane += 1) mix(lane, 0)
  const folded = state.reduce((all, sum) => all ^ sum, 0)
  return (((folded ^ block) >>> 0) % 65535) + 1
}

/** The checksum stored in a page; 0 if the database has none. */
export const storedChecksum = (page: DataView): number => page.getUint16(checksumAt, true)

export const storeChecksum = (page: DataView, checksum: number): void => page.setUint16(checksumAt, checksum, true)
