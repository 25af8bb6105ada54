import type { Rect } from './geometry.ts'

/** A picture in memory: rows from the top, pixels from the left, three bytes each in the order red, green, blue. */
export interface Pixels {
  width: number
  height: number
  data: Uint8Array
}

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

export interface DecodeCalls {
  /** A sentence for the document where the picture cannot be decoded. */
  decode: { ask: { mime: string; bytes: Uint8Array }; answer: Pixels | { problem: string } }
}

export interface ReadCalls {
  /** A sentence for operators where the model cannot be used. */
  read: { ask: { directory: string; pixels: Pixels; threads: number }; answer: ReadPage | { problem: string } }
}
