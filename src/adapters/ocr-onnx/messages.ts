import type { Pixels } from '../local-models/pixels.ts'
import type { Rect } from './geometry.ts'

/** One line of writing, in pixels of the picture once it is upright. */
export interface ReadLine {
  text: string
  rect: Rect
}

export interface ReadPage {
  lines: ReadLine[]
  /** Of the upright picture, in pixels. */
  width: number
  height: number
  /** How many quarter turns to the left made it upright: 0 to 3. */
  turns: number
}

export interface ReadCalls {
  /** A sentence for operators where the model cannot be used. */
  read: { ask: { directory: string; pixels: Pixels }; answer: ReadPage | { problem: string } }
}
