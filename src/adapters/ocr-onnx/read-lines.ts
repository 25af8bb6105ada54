import type { Pixels } from '../local-models/pixels.ts'
import type { Rect } from './geometry.ts'

/** The input of the recogniser, a line of a picture, and the text in its output. */

/** Pixels: the recogniser was trained with lines of this height. Padding to its width of 320 costs time and words. */
export const lineHeight = 48
const minWidth = 48
/** Of a line that is longer, the letters are squeezed. */
const maxWidth = 3_200

/**
 * Planes blue, green, red of a line, -1 to 1, 48 pixels high, the rest of the width 0. `turns`: quarter turns to the left
 * that make the line upright.
 */
export function recogniserInput(pixels: Pixels, rect: Rect, turns: number): { data: Float32Array; width: number } {
  const isAcross = turns % 2 === 0
  const [along, across] = isAcross ? [rect.width, rect.height] : [rect.height, rect.width]
  const used = Math.max(1, Math.min(maxWidth, Math.ceil((lineHeight * along) / across)))
  const width = Math.max(minWidth, used)
  const data = new Float32Array(3 * lineHeight * width)
  const angle = rect.angle + (turns * Math.PI) / 2
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  // One pixel of the line is the mean of this number of points of the picture, each way.
  const [fineX, fineY] = [Math.ceil(along / used / 1.5), Math.ceil(across / lineHeight / 1.5)]
  const color = new Float32Array(3)
  for (let j = 0; j < lineHeight; j++) {
    for (let i = 0; i < used; i++) {
      color.fill(0)
      for (let n = 0; n < fineY; n++) {
        const v = ((j + (n + 0.5) / fineY) / lineHeight - 0.5) * across
        for (let m = 0; m < fineX; m++) {
          const u = ((i + (m + 0.5) / fineX) / used - 0.5) * along
          addColor(pixels, rect.x + u * c - v * s, rect.y + u * s + v * c, color)
        }
      }
      for (let plane = 0; plane < 3; plane++) {
        const mean = (color[2 - plane] ?? 0) / (fineX * fineY)
        data[(plane * lineHeight + j) * width + i] = mean / 127.5 - 1
      }
    }
  }
  return { data, width }
}

/** Adds the colour at a point, between four pixels. What lies outside is like the edge. */
function addColor({ width, height, data }: Pixels, x: number, y: number, sum: Float32Array): void {
  const [px, py] = [clamp(x - 0.5, width - 1), clamp(y - 0.5, height - 1)]
  const [x0, y0] = [Math.floor(px), Math.floor(py)]
  const [a, b] = [px - x0, py - y0]
  const [x1, y1] = [Math.min(x0 + 1, width - 1), Math.min(y0 + 1, height - 1)]
  for (let plane = 0; plane < 3; plane++) {
    const at = (i: number, j: number) => data[(j * width + i) * 3 + plane] ?? 0
    const upper = at(x0, y0) * (1 - a) + at(x1, y0) * a
    const lower = at(x0, y1) * (1 - a) + at(x1, y1) * a
    sum[plane] = (sum[plane] ?? 0) + upper * (1 - b) + lower * b
  }
}

const clamp = (value: number, max: number) => Math.max(0, Math.min(max, value))

export interface Recognised {
  text: string
  /** The mean probability of its characters, 0..1. */
  score: number
}

/**
 * The text in the recogniser's output, `steps` × `classes` probabilities: the likeliest class of each step, repetitions
 * once, blanks not at all (Graves et al. 2006, best path decoding). Class 0 is the blank, then come the characters, then the
 * space.
 */
export function textIn(
  output: Float32Array,
  steps: number,
  classes: number,
  characters: readonly string[],
): Recognised {
  let text = ''
  let [sum, count, last] = [0, 0, 0]
  for (let step = 0; step < steps; step++) {
    const row = output.subarray(step * classes, (step + 1) * classes)
    let [best, most] = [0, row[0] ?? 0]
    for (let i = 1; i < row.length; i++) {
      const probability = row[i] ?? 0
      if (probability > most) [best, most] = [i, probability]
    }
    if (best !== last && best !== 0) {
      text += characters[best - 1] ?? ' '
      sum += most
      count++
    }
    last = best
  }
  return { text: text.trim(), score: count === 0 ? 0 : sum / count }
}
