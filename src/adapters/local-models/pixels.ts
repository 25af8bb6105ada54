export interface Size {
  width: number
  height: number
}

/** A picture in memory: rows from the top, pixels from the left, three bytes each in the order red, green, blue. */
export interface Pixels extends Size {
  data: Uint8Array
}

/**
 * The size of the decoded picture, in pixels: at most `maxSide` in both directions; or enlarged or reduced to `resize`,
 * of which `shortest` keeps its proportions, and then the middle of it.
 */
export type Fit =
  | { maxSide: number }
  | { resize: Size | { shortest: number }; crop: Size; filter: 'Point' | 'Box' | 'Triangle' | 'Catrom' | 'Lanczos' }

/** Why a picture cannot be decoded, now or later: its type, its size, its damage, or the time that it takes. */
export type Decoded = Pixels | { problem: 'type' | 'size' | 'damage' | 'time' }

export interface DecodeCalls {
  decode: { ask: { mime: string; bytes: Uint8Array; fit: Fit }; answer: Decoded }
}
