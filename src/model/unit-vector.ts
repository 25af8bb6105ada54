/** How far from 1 the length of a unit vector may be when its components are float32. */
const rounding = 1e-6

/**
 * The vector scaled to length 1, computed in f64: components may be as large or as small as f64 holds. One of length 1
 * stays as it is, bit by bit. Null without a direction: every component is 0, or one is not finite.
 */
export function toUnitVector(values: ArrayLike<number>): Float32Array<ArrayBuffer> | null {
  let max = 0
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i] ?? 0)
    if (!(size <= Number.MAX_VALUE)) return null
    if (size > max) max = size
  }
  if (max === 0) return null
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += ((values[i] ?? 0) / max) ** 2
  const length = Math.sqrt(squares)
  const unit = new Float32Array(values)
  if (Math.abs(length * max - 1) <= rounding) return unit
  for (let i = 0; i < unit.length; i++) unit[i] = (values[i] ?? 0) / max / length
  return unit
}
