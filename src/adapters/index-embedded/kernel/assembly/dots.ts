import { rowAt } from './rows'

/**
 * out[i] (f32) = the dot product of the query with row slots[i], of `lanes` times four floats each. A row's score does
 * not depend on its place in the list: both paths sum in the same order.
 */
export function dots(query: usize, base: usize, stride: usize, lanes: u32, slots: usize, count: u32, out: usize): void {
  while (count > 0) {
    // The processor prefetches along consecutive rows, but not from row to row of a list: there it waits for each row
    // unless several are read at once. Each path takes 1.5 to 2 times as long in the other's case.
    if (count < 8 || load<u32>(slots, 28) - load<u32>(slots) === 7) {
      dotOne(query, rowAt(base, stride, slots), lanes, out)
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

function dotOne(query: usize, row: usize, lanes: u32, out: usize): void {
  let sum = f32x4.splat(0)
  let left = lanes
  for (; left >= 4; left -= 4) {
    sum = f32x4.add(sum, line(query, row))
    query += 64
    row += 64
  }
  for (; left > 0; left--) {
    sum = f32x4.add(sum, lane(query, row))
    query += 16
    row += 16
  }
  v128.store32_lane(out, addNeighbours(addNeighbours(sum, sum), sum), 0)
}

function dotEight(query: usize, base: usize, stride: usize, lanes: u32, slots: usize, out: usize): void {
  let a = rowAt(base, stride, slots)
  let b = rowAt(base, stride, slots + 4)
  let c = rowAt(base, stride, slots + 8)
  let d = rowAt(base, stride, slots + 12)
  let e = rowAt(base, stride, slots + 16)
  let f = rowAt(base, stride, slots + 20)
  let g = rowAt(base, stride, slots + 24)
  let h = rowAt(base, stride, slots + 28)
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
    a += 64
    b += 64
    c += 64
    d += 64
    e += 64
    f += 64
    g += 64
    h += 64
  }
  for (; left > 0; left--) {
    sumA = f32x4.add(sumA, lane(query, a))
    sumB = f32x4.add(sumB, lane(query, b))
    sumC = f32x4.add(sumC, lane(query, c))
    sumD = f32x4.add(sumD, lane(query, d))
    sumE = f32x4.add(sumE, lane(query, e))
    sumF = f32x4.add(sumF, lane(query, f))
    sumG = f32x4.add(sumG, lane(query, g))
    sumH = f32x4.add(sumH, lane(query, h))
    query += 16
    a += 16
    b += 16
    c += 16
    d += 16
    e += 16
    f += 16
    g += 16
    h += 16
  }
  v128.store(out, addNeighbours(addNeighbours(sumA, sumB), addNeighbours(sumC, sumD)))
  v128.store(out, addNeighbours(addNeighbours(sumE, sumF), addNeighbours(sumG, sumH)), 16)
}

/** The products of 64 bytes, added as a tree: one sum per row is then enough, as additions wait less. */
function line(query: usize, row: usize): v128 {
  return f32x4.add(
    f32x4.add(lane(query, row), lane(query + 16, row + 16)),
    f32x4.add(lane(query + 32, row + 32), lane(query + 48, row + 48)),
  )
}

function lane(query: usize, row: usize): v128 {
  return f32x4.mul(v128.load(query), v128.load(row))
}

/** [a0 + a1, a2 + a3, b0 + b1, b2 + b3] */
function addNeighbours(a: v128, b: v128): v128 {
  return f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7))
}
