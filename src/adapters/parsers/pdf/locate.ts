import type { Locator } from '../../../model/unit.ts'
import type { Span } from '../../../ports/format.ts'
import type { Line } from './page-text.ts'
import { type Area, around } from './run.ts'

export interface PlacedPage {
  /** In the order of the text. */
  lines: readonly Line[]
  /** In points. */
  width: number
  height: number
}

/** Places a span of the text on its page: the box around the lines that it has a part of. */
export function locateIn(pages: readonly PlacedPage[]): (span: Span) => { locator: Locator } {
  const all = pages.flatMap(({ lines }, page) => lines.map((line) => ({ line, page })))
  return ({ start, end }) => {
    let low = 0
    let high = all.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle]?.line.end ?? 0) <= start) low = middle + 1
      else high = middle
    }
    const page = all[low]?.page ?? 0
    const lines: Line[] = []
    for (let i = low; i < all.length; i++) {
      const next = all[i]
      if (next === undefined || next.page !== page || next.line.start >= end) break
      lines.push(next.line)
    }
    const { width = 1, height = 1 } = pages[page] ?? {}
    return { locator: { kind: 'bbox', page: page + 1, ...fractions(around(lines), width, height) } }
  }
}

/** Rounded outwards, to a ten thousandth of the page. */
function fractions({ left, top, right, bottom }: Area, width: number, height: number) {
  const down = (share: number) => Math.floor(Math.min(1, Math.max(0, share)) * 10_000)
  const up = (share: number) => Math.ceil(Math.min(1, Math.max(0, share)) * 10_000)
  const [x, y] = [down(left / width), down(top / height)]
  const [x2, y2] = [up(right / width), up(bottom / height)]
  return { x: x / 10_000, y: y / 10_000, w: (x2 - x) / 10_000, h: (y2 - y) / 10_000 }
}
