/** See `Kernel`. */
export function hamming(query: usize, base: usize, blocks: u32, slots: usize, count: u32, out: usize): void {
  const stride = (<usize>blocks) << 4
  if (blocks === 4) {
    hamming512(query, base, slots, count, out)
    return
  }
  // In wide rows that follow each other, as with `dots`, prefetching along one row gains more than four rows at a time.
  const inFours: u32 = slots === 0 && blocks > 16 ? 0 : count & ~3
  let i: u32 = 0
  for (; i < inFours; i += 4) {
    const a = rowAt(base, stride, slots, i)
    const b = rowAt(base, stride, slots, i + 1)
    const c = rowAt(base, stride, slots, i + 2)
    const d = rowAt(base, stride, slots, i + 3)
    const bits = bitsOfFour(query, a, b, c, d, blocks)
    v128.store64_lane(out, i16x8.narrow_i32x4_u(bits, bits), 0)
    out += 8
  }
  for (; i < count; i++) {
    const bits = bitsOfOne(query, rowAt(base, stride, slots, i), blocks)
    v128.store16_lane(out, i16x8.narrow_i32x4_u(bits, bits), 0)
    out += 2
  }
}

function rowAt(base: usize, stride: usize, slots: usize, i: u32): usize {
  return base + stride * <usize>(slots === 0 ? i : load<u32>(slots + ((<usize>i) << 2)))
}

/** See `Kernel`. */
export function within(values: usize, count: u32, max: u32, first: u32, out: usize): u32 {
  const limit = i16x8.splat(<i16>max)
  const start = out
  let i: u32 = 0
  for (; i + 8 <= count; i += 8) {
    let found = i16x8.bitmask(i16x8.le_u(v128.load(values), limit))
    values += 16
    for (; found !== 0; found &= found - 1) {
      store<u32>(out, first + i + ctz(found))
      out += 4
    }
  }
  for (; i < count; i++) {
    if (<u32>load<u16>(values) <= max) {
      store<u32>(out, first + i)
      out += 4
    }
    values += 2
  }
  return <u32>((out - start) >> 2)
}

/** For rows of 512 bits: the query stays in registers. Most processors count bits of 64 at once, but not those of SIMD. */
function hamming512(query: usize, base: usize, slots: usize, count: u32, out: usize): void {
  const a = load<u64>(query)
  const b = load<u64>(query, 8)
  const c = load<u64>(query, 16)
  const d = load<u64>(query, 24)
  const e = load<u64>(query, 32)
  const f = load<u64>(query, 40)
  const g = load<u64>(query, 48)
  const h = load<u64>(query, 56)
  for (let next = base; count > 0; count--) {
    let row = next
    if (slots !== 0) {
      row = base + ((<usize>load<u32>(slots)) << 6)
      slots += 4
    }
    const first = popcnt(load<u64>(row) ^ a) + popcnt(load<u64>(row, 8) ^ b)
    const second = popcnt(load<u64>(row, 16) ^ c) + popcnt(load<u64>(row, 24) ^ d)
    const third = popcnt(load<u64>(row, 32) ^ e) + popcnt(load<u64>(row, 40) ^ f)
    const fourth = popcnt(load<u64>(row, 48) ^ g) + popcnt(load<u64>(row, 56) ^ h)
    store<u16>(out, <u16>(first + second + (third + fourth)))
    next += 64
    out += 2
  }
}

/** In the first lane. */
function bitsOfOne(query: usize, row: usize, blocks: u32): v128 {
  let sum = i32x4.splat(0)
  for (let left = blocks; left > 0; ) {
    let bytes = i8x16.splat(0)
    const part = partOf(left)
    for (let block = part; block > 0; block--) {
      bytes = i8x16.add(bytes, i8x16.popcnt(v128.xor(v128.load(query), v128.load(row))))
      query += 16
      row += 16
    }
    sum = i32x4.add(sum, widen(bytes))
    left -= part
  }
  return addWhole(addWhole(sum, sum), sum)
}

/** Each byte counts 8 bits per block, and can hold 31 times that. */
function partOf(blocks: u32): u32 {
  return blocks < 31 ? blocks : 31
}

/** Four rows at a time share the query and the sums across lanes, which cost as much as counting a short row. */
function bitsOfFour(query: usize, a: usize, b: usize, c: usize, d: usize, blocks: u32): v128 {
  let sumA = i32x4.splat(0)
  let sumB = sumA
  let sumC = sumA
  let sumD = sumA
  for (let left = blocks; left > 0; ) {
    let bytesA = i8x16.splat(0)
    let bytesB = bytesA
    let bytesC = bytesA
    let bytesD = bytesA
    const part = partOf(left)
    for (let block = part; block > 0; block--) {
      const wanted = v128.load(query)
      bytesA = i8x16.add(bytesA, i8x16.popcnt(v128.xor(wanted, v128.load(a))))
      bytesB = i8x16.add(bytesB, i8x16.popcnt(v128.xor(wanted, v128.load(b))))
      bytesC = i8x16.add(bytesC, i8x16.popcnt(v128.xor(wanted, v128.load(c))))
      bytesD = i8x16.add(bytesD, i8x16.popcnt(v128.xor(wanted, v128.load(d))))
      query += 16
      a += 16
      b += 16
      c += 16
      d += 16
    }
    sumA = i32x4.add(sumA, widen(bytesA))
    sumB = i32x4.add(sumB, widen(bytesB))
    sumC = i32x4.add(sumC, widen(bytesC))
    sumD = i32x4.add(sumD, widen(bytesD))
    left -= part
  }
  return addWhole(addWhole(sumA, sumB), addWhole(sumC, sumD))
}

/** Sixteen bytes, added by fours. */
function widen(bytes: v128): v128 {
  return i32x4.dot_i16x8_s(i16x8.extadd_pairwise_i8x16_u(bytes), i16x8.splat(1))
}

/** `addNeighbours` for integers. */
function addWhole(a: v128, b: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7))
}
