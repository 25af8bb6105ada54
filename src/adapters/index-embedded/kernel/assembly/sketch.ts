/** See `Kernel`. */
export function sketch(values: usize, signs: usize, count: u32, out: usize): void {
  const bytes = (<usize>count) << 2
  for (let round = signs; round <= signs + bytes; round += bytes) {
    for (let at: usize = 0; at < bytes; at += 16) {
      v128.store(values + at, f32x4.mul(v128.load(values + at), v128.load(round + at)))
    }
    transform(values, count)
  }
  const zero = f32x4.splat(0)
  for (let at = values; at < values + bytes; at += 32) {
    const low = i32x4.bitmask(f32x4.gt(v128.load(at), zero))
    const high = i32x4.bitmask(f32x4.gt(v128.load(at, 16), zero))
    store<u8>(out, low | (high << 4))
    out++
  }
}

/** Fast Walsh-Hadamard transform of `count` floats in place, not scaled; `count` is a power of two from 8 on. */
function transform(values: usize, count: u32): void {
  const end = values + ((<usize>count) << 2)
  const odd = f32x4(1, -1, 1, -1)
  const upper = f32x4(1, 1, -1, -1)
  for (let at = values; at < end; at += 16) {
    let four = v128.load(at)
    four = f32x4.add(
      v128.shuffle<f32>(four, four, 0, 0, 2, 2),
      f32x4.mul(v128.shuffle<f32>(four, four, 1, 1, 3, 3), odd),
    )
    four = f32x4.add(
      v128.shuffle<f32>(four, four, 0, 1, 0, 1),
      f32x4.mul(v128.shuffle<f32>(four, four, 2, 3, 2, 3), upper),
    )
    v128.store(at, four)
  }
  for (let half: usize = 16; values + half < end; half <<= 1) {
    for (let start = values; start < end; start += half << 1) {
      for (let at = start; at < start + half; at += 16) {
        const a = v128.load(at)
        const b = v128.load(at + half)
        v128.store(at, f32x4.add(a, b))
        v128.store(at + half, f32x4.sub(a, b))
      }
    }
  }
}
