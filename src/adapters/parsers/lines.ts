import type { Span } from '../../ports/format.ts'

/** A line without its break; `next` is where the following one starts. */
export interface Line extends Span {
  next: number
}

/** The lines of a text. A line ends at LF, or CRLF; a last empty one is left out. */
export function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const lineFeed = found === -1 ? text.length : found
    const end = found > start && text.charCodeAt(found - 1) === 13 ? found - 1 : lineFeed
    const next = found === -1 ? text.length : found + 1
    yield { start, end, next }
    start = next
  }
}

/** Tells the line of an offset, 1-based. */
export function lineCounter(text: string): (offset: number) => number {
  const starts: number[] = []
  for (const { start } of linesOf(text)) starts.push(start)
  return (offset) =>
    Math.max(
      0,
      lastUpTo(starts, offset, (start) => start),
    ) + 1
}

/** The index of the last of sorted things that is not beyond a place; -1 before the first. */
export function lastUpTo<T>(all: readonly T[], at: number, placeOf: (one: T) => number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (placeOf(all[middle] as T) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}
