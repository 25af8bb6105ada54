/** A text in lines that can be drawn one by one: its breaks as in locators, where a line ends at LF or CRLF. */

/** A piece of a line: `number` is the 1-based line, null where it continues the piece before. Offsets are UTF-16, `end` exclusive. */
export interface Piece {
  number: number | null
  start: number
  end: number
}

/** A text without breaks must not become one element of a megabyte. */
const maxPiece = 2_000

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let number = 1
  for (let start = 0; start < text.length || number === 1; number += 1) {
    const found = text.indexOf('\n', start)
    const next = found < 0 ? text.length : found + 1
    const end = found < 0 ? next : found > start && text[found - 1] === '\r' ? found - 1 : found
    addPieces(pieces, text, number, start, end)
    start = next
  }
  return pieces
}

function addPieces(pieces: Piece[], text: string, line: number, start: number, end: number): void {
  let at = start
  do {
    let stop = Math.min(end, at + maxPiece)
    // Never between the two halves of a character outside of the basic plane.
    if (stop < end && isLowSurrogate(text.charCodeAt(stop))) stop -= 1
    pieces.push({ number: at === start ? line : null, start: at, end: stop })
    at = stop
  } while (at < end)
}

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff

/** The index of the piece that holds an offset, or of the last one before it. */
export function pieceAt(pieces: readonly Piece[], offset: number): number {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pieces[middle]?.start ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** The offsets of lines `first` to `last`, 1-based and inclusive; null if the text has no such line. */
export function offsetsOfLines(pieces: readonly Piece[], first: number, last: number): [number, number] | null {
  const begin = pieces.findIndex(({ number }) => number === first)
  if (begin < 0) return null
  let end = begin
  for (let i = begin; i < pieces.length; i += 1) {
    const { number } = pieces[i] ?? { number: null }
    if (number !== null && number > last) break
    end = i
  }
  return [pieces[begin]?.start ?? 0, pieces[end]?.end ?? 0]
}
