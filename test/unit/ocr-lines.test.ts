import { describe, expect, it } from 'vitest'
import type { Pixels } from '../../src/adapters/local-models/pixels.ts'
import { detectionSize, detectorInput, linesOf } from '../../src/adapters/ocr-onnx/find-lines.ts'
import { cornersOf, type Rect } from '../../src/adapters/ocr-onnx/geometry.ts'
import { pictureText } from '../../src/adapters/ocr-onnx/place-lines.ts'
import { recogniserInput, textIn } from '../../src/adapters/ocr-onnx/read-lines.ts'
import { layOut } from '../../src/adapters/parsers/pdf/reading-order.ts'

/** A map with probability `value` inside of rectangles. */
function mapOf(width: number, height: number, rects: readonly (Rect & { value?: number })[]): Float32Array {
  const map = new Float32Array(width * height)
  for (const { x, y, width: w, height: h, angle, value = 0.9 } of rects) {
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    map.forEach((_, i) => {
      const [dx, dy] = [(i % width) - x, Math.floor(i / width) - y]
      if (Math.abs(dx * c + dy * s) <= w / 2 && Math.abs(dy * c - dx * s) <= h / 2) map[i] = value
    })
  }
  return map
}

describe('lines in a map of probabilities', () => {
  it('are the patches, grown by their area times 1.6 by their perimeter on each side', () => {
    const core = { x: 60, y: 30, width: 80, height: 10, angle: 0 }
    const [line, ...others] = linesOf(mapOf(128, 64, [core]), 128, 64)
    expect(others).toEqual([])
    const growth = (2 * (80 * 10 * 1.6)) / (2 * (80 + 10))
    // Give or take the pixels of its edge.
    expect(Math.abs((line?.width ?? 0) - 80 - growth)).toBeLessThan(3)
    expect(Math.abs((line?.height ?? 0) - 10 - growth)).toBeLessThan(3)
    expect(line).toMatchObject({ x: expect.closeTo(60, -0.3), y: expect.closeTo(30, -0.3), angle: 0 })
  })

  it('may be slanted, and are one for each patch', () => {
    const slanted = { x: 64, y: 30, width: 90, height: 8, angle: 0.2 }
    const below = { x: 64, y: 80, width: 40, height: 8, angle: 0 }
    const found = linesOf(mapOf(128, 96, [slanted, below]), 128, 96)
    expect(found.map(({ angle }) => angle)).toEqual([expect.closeTo(0.2, 1), expect.closeTo(0, 1)])
  })

  it('are not what is small, or unlikely as a whole', () => {
    const dot = { x: 10, y: 10, width: 2, height: 1, angle: 0 }
    const faint = { x: 60, y: 30, width: 80, height: 10, angle: 0, value: 0.4 }
    expect(linesOf(mapOf(128, 64, [dot, faint]), 128, 64)).toEqual([])
    expect(linesOf(new Float32Array(64), 8, 8)).toEqual([])
  })
})

describe('the detector', () => {
  it('looks at pictures of every shape in steps of 32 pixels, within limits', () => {
    expect(detectionSize({ width: 4961, height: 7016 })).toEqual({ width: 1120, height: 1600 })
    expect(detectionSize({ width: 300, height: 200 })).toEqual({ width: 1120, height: 736 })
    for (const [width, height] of [
      [1, 1],
      [20_000, 10],
      [3, 5_000],
      [3_000, 3_000],
    ] as const) {
      const size = detectionSize({ width, height })
      expect([size.width % 32, size.height % 32]).toEqual([0, 0])
      expect(size.width * size.height).toBeLessThan(2.5e6)
      expect(Math.min(size.width, size.height)).toBeGreaterThan(0)
    }
  })

  it('sees blue before red, each pixel as the mean of what it covers', () => {
    const data = Uint8Array.from([255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255])
    const planes = detectorInput({ width: 4, height: 1, data }, { width: 2, height: 1 })
    expect([...planes]).toEqual([-1, 1, -1, -1, 1, -1])
    const [, middle] = detectorInput({ width: 2, height: 1, data: data.subarray(3, 9) }, { width: 3, height: 1 })
    expect(middle).toBeCloseTo(0)
  })
})

describe('a line', () => {
  /** Black on the left, white on the right, from the reader's side, in a picture that needs `turns` to the left. */
  const half = (turns: number): Pixels => {
    const [width, height] = turns % 2 === 0 ? [100, 20] : [20, 100]
    const isDark = (x: number, y: number) => [x < 50, y < 50, x >= 50, y >= 50][turns] ?? false
    const data = new Uint8Array(width * height * 3)
    for (let i = 0; i < width * height; i++)
      data.fill(isDark(i % width, Math.floor(i / width)) ? 0 : 255, 3 * i, 3 * i + 3)
    return { width, height, data }
  }

  it.each([0, 1, 2, 3])('is 48 pixels high and upright after %i quarter turns', (turns) => {
    const pixels = half(turns)
    const rect = { x: pixels.width / 2, y: pixels.height / 2, width: pixels.width, height: pixels.height, angle: 0 }
    const { data, width } = recogniserInput(pixels, rect, turns)
    expect(width).toBe(240)
    expect(data).toHaveLength(3 * 48 * 240)
    expect([data[24 * 240 + 40], data[24 * 240 + 200]]).toEqual([-1, 1])
  })

  it('is the likeliest class of each step, repetitions once, blanks not', () => {
    const steps = [0, 1, 1, 0, 1, 2, 3, 3, 0]
    const output = Float32Array.from(steps.flatMap((best) => [0, 1, 2, 3].map((i) => (i === best ? 0.7 : 0.1))))
    expect(textIn(output, steps.length, 4, ['a', 'b'])).toEqual({ text: 'aab', score: expect.closeTo(0.7) })
    expect(textIn(new Float32Array(8), 2, 4, ['a', 'b'])).toEqual({ text: '', score: 0 })
  })
})

describe('the text of a picture', () => {
  const line = (text: string, x: number, y: number, width = text.length * 10, angle = 0) => ({
    text,
    rect: { x: x + width / 2, y, width, height: 20, angle },
  })

  it('has rows from the top, each with the words beside each other, and their boxes', () => {
    const lines = [line('12.50', 300, 100), line('TOTAL', 100, 103), line('RECEIPT', 100, 40)]
    const { text, lines: rows } = pictureText({ lines, width: 400, height: 200, turns: 0 }, layOut)
    expect(text.split(/\n+/)).toEqual(['RECEIPT', 'TOTAL\t12.50'])
    expect(rows.map(({ start, end }) => text.slice(start, end))).toEqual(['RECEIPT', 'TOTAL\t12.50'])
    expect(rows[1]).toMatchObject({ x: 0.25, y: 0.45, w: 0.625, h: expect.closeTo(0.115) })
  })

  it('has its rows on a slanted page, too, and its columns one after the other', () => {
    const prose = (column: string) => Array.from({ length: 8 }, (_, i) => `${column} column row ${i} of its prose`)
    const [left, right] = [prose('left'), prose('right')]
    const level = left.flatMap((text, i) => [
      line(text, 20, 40 + 30 * i, 270),
      line(right[i] ?? '', 350, 40 + 30 * i, 270),
    ])
    const angle = 0.05
    const slanted = level.map(({ text, rect }) => {
      const [x, y] = [
        rect.x * Math.cos(angle) - rect.y * Math.sin(angle),
        rect.x * Math.sin(angle) + rect.y * Math.cos(angle),
      ]
      return { text, rect: { ...rect, x, y, angle } }
    })
    const { text } = pictureText({ lines: slanted, width: 640, height: 400, turns: 0 }, layOut)
    expect(text.split(/\n+/)).toEqual([...left, ...right])
  })

  it('has boxes on the picture as it is shown, whichever way it was turned to be read', () => {
    const shown = { width: 200, height: 400 }
    const rect = { x: 50, y: 100, width: 20, height: 80, angle: 0 }
    const [corner] = cornersOf(rect)
    const boxOf = (turns: number, read: Rect) =>
      pictureText(
        { lines: [{ text: 'up', rect: read }], turns, ...(turns % 2 ? { width: 400, height: 200 } : shown) },
        layOut,
      ).lines[0]
    const box = { x: (corner?.x ?? 0) / 200, y: (corner?.y ?? 0) / 400, w: expect.closeTo(0.1), h: expect.closeTo(0.2) }
    expect(boxOf(1, { x: 100, y: 150, width: 80, height: 20, angle: 0 })).toMatchObject(box)
    expect(boxOf(3, { x: 300, y: 50, width: 80, height: 20, angle: 0 })).toMatchObject(box)
  })
})
