/**
 * out[i] (f32) = the dot product of the query with row slots[i], of `lanes` times four floats each. A row's score does
 * not depend on its place in the list: both paths sum in the same order.
 */
export function dots(query: usize, base: usize, stride: usize, lanes: u32, slots: usize, count: u32, out: usize): void {
  while (count > 0) {
    // The processor prefetches along consecutive rows, but not from row to row of a list: there it waits for each row
    // unless several are read at once. Each path takes 1.5 to 2 times as long in the other's case.
    if (count < 8 || load<u32>(slots, 28) - load<u32>(slots) === 7) {
      dotOne(query, fromQuery(query, base, stride, slots), lanes, out)
      slots += 4
      out += 4
      count--
    } else {
      dotEight(query, base, stride, lanes, slots, out)
      slots += 32
      out += 32
      count -= 8
    }
  }
}

/** How far the row whose number is at `slot` is from the query: with that, one position moves along both. */
function fromQuery(query: usize, base: usize, stride: usize, slot: usize): usize {
  return base + <usize>load<u32>(slot) * stride - query
}

function dotOne(query: usize, row: usize, lanes: u32, out: usize): void {
  let sum = f32x4.splat(0)
  let left = lanes
  for (; left >= 4; left -= 4) {
    sum = f32x4.add(sum, line(query, row))
    query += 64
  }
  for (; left > 0; left--) {
    sum = f32x4.add(sum, lane(query, query + row))
    query += 16
  }
  v128.store32_lane(out, addNeighbours(addNeighbours(sum, sum), sum), 0)
}

function dotEight(query: usize, base: usize, stride: usize, lanes: u32, slots: usize, out: usize): void {
  const a = fromQuery(query, base, stride, slots)
  const b = fromQuery(query, base, stride, slots + 4)
  const c = fromQuery(query, base, stride, slots + 8)
  const d = fromQuery(query, base, stride, slots + 12)
  const e = fromQuery(query, base, stride, slots + 16)
  const f = fromQuery(query, base, stride, slots + 20)
  const g = fromQuery(query, base, stride, slots + 24)
  const h = fromQuery(query, base, stride, slots + 28)
  let sumA = f32x4.splat(0)
  let sumB = sumA
  let sumC = sumA
  let sumD = sumA
  let sumE = sumA
  let sumF = sumA
  let sumG = sumA
  let sumH = sumA
  let left = lanes
  for (; left >= 4; left -= 4) {
    sumA = f32x4.add(sumA, line(query, a))
    sumB = f32x4.add(sumB, line(query, b))
    sumC = f32x4.add(sumC, line(query, c))
    sumD = f32x4.add(sumD, line(query, d))
    sumE = f32x4.add(sumE, line(query, e))
    sumF = f32x4.add(sumF, line(query, f))
    sumG = f32x4.add(sumG, line(query, g))
    sumH = f32x4.add(sumH, line(query, h))
    query += 64
  }
  for (; left > 0; left--) {
    sumA = f32x4.add(sumA, lane(query, query + a))
    sumB = f32x4.add(sumB, lane(query, query + b))
    sumC = f32x4.add(sumC, lane(query, query + c))
    sumD = f32x4.add(sumD, lane(query, query + d))
    sumE = f32x4.add(sumE, lane(query, query + e))
    sumF = f32x4.add(sumF, lane(query, query + f))
    sumG = f32x4.add(sumG, lane(query, query + g))
    sumH = f32x4.add(sumH, lane(query, query + h))
    query += 16
  }
  v128.store(out, addNeighbours(addNeighbours(sumA, sumB), addNeighbours(sumC, sumD)))
  v128.store(out, addNeighbours(addNeighbours(sumE, sumF), addNeighbours(sumG, sumH)), 16)
}

/** The products of 64 bytes, added as a tree: one sum per row is then enough, as additions wait less. */
function line(query: usize, row: usize): v128 {
  const at = query + row
  return f32x4.add(
    f32x4.add(lane(query, at), f32x4.mul(v128.load(query, 16), v128.load(at, 16))),
    f32x4.add(f32x4.mul(v128.load(query, 32), v128.load(at, 32)), f32x4.mul(v128.load(query, 48), v128.load(at, 48))),
  )
}

function lane(query: usize, at: usize): v128 {
  return f32x4.mul(v128.load(query), v128.load(at))
}

/** [a0 + a1, a2 + a3, b0 + b1, b2 + b3] */
function addNeighbours(a: v128, b: v128): v128 {
  return f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7))
}
