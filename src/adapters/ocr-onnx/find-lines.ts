import type { Pixels } from '../local-models/pixels.ts'
import { cornersOf, type Point, type Rect, smallestRect } from './geometry.ts'

/**
 * Where text stands: the input of the detector and what its output means. Differentiable Binarization, Liao et al. 2020,
 * https://arxiv.org/abs/1911.08947, with the constants of PP-OCR.
 */

/** A pixel of the map belongs to text above this probability. */
const pixelThreshold = 0.3
/** A line counts from this mean probability on. */
const lineThreshold = 0.5
/** The model draws the core of a line: its rectangle is grown by area · ratio / perimeter on each side (section 3.4). */
const growth = 1.6
/** Pixels of the map: a smaller core, and a smaller line, is noise. */
const minCore = 3
const minLine = 5
const maxLines = 1_000

/** The map is made in steps of these pixels. */
const step = 32
/** Smaller pictures are enlarged: text of a few pixels is not found. Larger ones cost time and memory. */
const minSide = 736
const maxSide = 1_600
const maxArea = maxSide * 1_152

/** The size at which the detector looks at a picture. */
export function detectionSize({ width, height }: Pick<Pixels, 'width' | 'height'>): { width: number; height: number } {
  const down = Math.min(1, maxSide / Math.max(width, height), Math.sqrt(maxArea / (width * height)))
  const up = Math.min(minSide / Math.min(width, height), Math.sqrt(maxArea / (width * height)))
  const scale = Math.max(down, up)
  const side = (length: number) => Math.max(step, Math.round((length * scale) / step) * step)
  return { width: side(width), height: side(height) }
}

/** Planes blue, green, red of a picture of another size, -1 to 1: a pixel is the mean of what it covers. */
export function detectorInput(pixels: Pixels, { width, height }: { width: number; height: number }): Float32Array {
  const planes = new Float32Array(3 * width * height)
  const columns = spans(pixels.width, width)
  for (const [y, row] of spans(pixels.height, height).entries()) {
    for (const [x, column] of columns.entries()) {
      let [red, green, blue, weight] = [0, 0, 0, 0]
      for (const { at: j, share: b } of row) {
        for (const { at: i, share: a } of column) {
          const at = (j * pixels.width + i) * 3
          red += a * b * (pixels.data[at] ?? 0)
          green += a * b * (pixels.data[at + 1] ?? 0)
          blue += a * b * (pixels.data[at + 2] ?? 0)
          weight += a * b
        }
      }
      const at = y * width + x
      planes[at] = blue / weight / 127.5 - 1
      planes[at + width * height] = green / weight / 127.5 - 1
      planes[at + 2 * width * height] = red / weight / 127.5 - 1
    }
  }
  return planes
}

interface Share {
  at: number
  share: number
}

/** For each pixel of `to`, which pixels of `from` it is made of: those that it covers, or the two next to its middle. */
function spans(from: number, to: number): Share[][] {
  const scale = from / to
  return Array.from({ length: to }, (_, i) => {
    if (scale <= 1) {
      const middle = Math.max(0, Math.min(from - 1, (i + 0.5) * scale - 0.5))
      const at = Math.floor(middle)
      const next = { at: Math.min(from - 1, at + 1), share: middle - at }
      return next.share === 0 ? [{ at, share: 1 }] : [{ at, share: 1 - next.share }, next]
    }
    const [start, end] = [i * scale, Math.min(from, (i + 1) * scale)]
    return Array.from({ length: Math.ceil(end) - Math.floor(start) }, (_, k) => {
      const at = Math.floor(start) + k
      return { at, share: Math.min(end, at + 1) - Math.max(start, at) }
    }).filter(({ share }) => share > 1e-6)
  })
}

/**
 * The lines in a map of probabilities (0..1, `width` × `height`), in pixels of the map. `map` may be longer; the rest is
 * not read.
 */
export function linesOf(map: Float32Array, width: number, height: number): Rect[] {
  const found: Rect[] = []
  for (const outline of coresOf(map, width, height)) {
    const core = smallestRect(outline)
    if (Math.min(core.width, core.height) < minCore) continue
    if (meanInside(map, width, height, core) < lineThreshold) continue
    const grown = ((core.width * core.height) / (2 * (core.width + core.height))) * growth * 2
    const line = { ...core, width: core.width + grown, height: core.height + grown }
    if (Math.min(line.width, line.height) >= minLine) found.push(line)
    if (found.length === maxLines) break
  }
  return found
}

/** The ends of the rows of each patch of pixels that hang together, corners included. */
function* coresOf(map: Float32Array, width: number, height: number): Generator<Point[]> {
  const open = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((map[y * width + x] ?? 0) <= pixelThreshold) continue
      // A pixel also takes those to the right and below: letters of a line hang together.
      for (const j of [y, Math.min(y + 1, height - 1)]) open.fill(1, j * width + x, j * width + Math.min(x + 2, width))
    }
  }
  for (let first = open.indexOf(1); first >= 0; first = open.indexOf(1, first + 1)) {
    const rows = new Map<number, { left: number; right: number }>()
    const stack = [first]
    open[first] = 0
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)]
      const row = rows.get(y)
      if (row) Object.assign(row, { left: Math.min(row.left, x), right: Math.max(row.right, x) })
      else rows.set(y, { left: x, right: x })
      for (let j = Math.max(0, y - 1); j <= Math.min(height - 1, y + 1); j++) {
        for (let i = Math.max(0, x - 1); i <= Math.min(width - 1, x + 1); i++) {
          if (open[j * width + i] === 0) continue
          open[j * width + i] = 0
          stack.push(j * width + i)
        }
      }
    }
    yield [...rows].flatMap(([y, { left, right }]) => [
      { x: left, y },
      { x: right, y },
    ])
  }
}

/** The mean of the map inside a rectangle. */
function meanInside(map: Float32Array, width: number, height: number, rect: Rect): number {
  const corners = cornersOf(rect)
  const ys = corners.map(({ y }) => y)
  let [sum, count] = [0, 0]
  for (let y = Math.max(0, Math.floor(Math.min(...ys))); y <= Math.min(height - 1, Math.ceil(Math.max(...ys))); y++) {
    const xs = crossings(corners, y)
    if (xs.length === 0) continue
    const from = Math.max(0, Math.round(Math.min(...xs)))
    for (let x = from; x <= Math.min(width - 1, Math.round(Math.max(...xs))); x++) {
      sum += map[y * width + x] ?? 0
      count++
    }
  }
  return count === 0 ? 0 : sum / count
}

/** Where the sides of a polygon meet the line at `y`. */
function crossings(corners: readonly Point[], y: number): number[] {
  return corners.flatMap((a, i) => {
    const b = corners[(i + 1) % corners.length] ?? a
    if (y < Math.min(a.y, b.y) || y > Math.max(a.y, b.y)) return []
    return a.y === b.y ? [a.x, b.x] : [a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x)]
  })
}
