import type { ViewUnitFragment } from './generated/graphql.ts'
import { offsetsOfLines, type Piece } from './lines.ts'

/** What is shown of a file: its Units, and the one that was opened. */
export interface SourceProps {
  units: readonly ViewUnitFragment[]
  chosen: ViewUnitFragment
}

/** The place of a Unit in its source, as GraphQL answers it. */
export type Locator =
  | { __typename: 'TimeRange'; tStartMs: number; tEndMs: number }
  | { __typename: 'BoundingBox'; page?: number | null; x: number; y: number; w: number; h: number }
  | { __typename: 'CharSpan'; start: number; end: number }
  | { __typename: 'LineRange'; start: number; end: number }

export interface Placed {
  unitId: string
  locator?: Locator | null
}

/** A Unit's span in the text, in UTF-16 offsets, `end` exclusive. */
export interface Span {
  unitId: string
  start: number
  end: number
}

/** The spans of those Units that lie in the text, in order. */
export function spansOf(units: readonly Placed[], pieces: readonly Piece[], length: number): Span[] {
  const spans = units.flatMap(({ unitId, locator }): Span[] => {
    const range = locator ? rangeOf(locator, pieces) : null
    if (range === null) return []
    const [start, end] = [Math.min(range[0], length), Math.min(range[1], length)]
    return start < end ? [{ unitId, start, end }] : []
  })
  return spans.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

function rangeOf(locator: Locator, pieces: readonly Piece[]): [number, number] | null {
  if (locator.__typename === 'CharSpan') return [locator.start, locator.end]
  return locator.__typename === 'LineRange' ? offsetsOfLines(pieces, locator.start, locator.end) : null
}

/** A part of a piece that the same Units cover. */
export interface Segment {
  start: number
  end: number
  unitIds: string[]
}

/** Cuts a piece where spans begin and end. `spans` are ordered by `start`. */
export function segmentsOf(piece: Pick<Piece, 'start' | 'end'>, spans: readonly Span[]): Segment[] {
  const inside = spans.filter(({ start, end }) => start < piece.end && end > piece.start)
  const cuts = new Set([piece.start, piece.end])
  for (const { start, end } of inside) {
    cuts.add(Math.max(start, piece.start))
    cuts.add(Math.min(end, piece.end))
  }
  const ends = [...cuts].toSorted((a, b) => a - b)
  return ends.slice(1).map((end, i) => {
    const start = ends[i] ?? 0
    const unitIds = inside.filter((span) => span.start <= start && span.end >= end).map(({ unitId }) => unitId)
    return { start, end, unitIds }
  })
}

/** `1:02:03`, or `2:03` below an hour. */
export function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours === 0 ? `${minutes}:${two(rest)}` : `${hours}:${two(minutes)}:${two(rest)}`
}

/** Where a Unit is in its source, in words; null without a place. */
export function placeText({ locator }: Placed): string | null {
  if (!locator) return null
  if (locator.__typename === 'TimeRange') return `${timeText(locator.tStartMs)} to ${timeText(locator.tEndMs)}`
  if (locator.__typename === 'LineRange') {
    return locator.start === locator.end ? `line ${locator.start}` : `lines ${locator.start} to ${locator.end}`
  }
  if (locator.__typename === 'CharSpan') return `characters ${locator.start} to ${locator.end}`
  return locator.page ? `page ${locator.page}` : 'in the picture'
}
