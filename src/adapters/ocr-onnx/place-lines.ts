import type { PictureText } from '../../ports/models/media-models.ts'
import { type Area, areaOf, cornersOf, isUpended, type Point, type Rect, turnedPoint } from './geometry.ts'
import type { ReadPage } from './messages.ts'

/** A line of writing as it stands on an upright, level page, in pixels. */
export interface PlacedLine extends Area {
  text: string
  /** Of the font. */
  size: number
  upright: boolean
  rightToLeft: boolean
}

/** Puts lines in reading order. `start` and `end` of a row are UTF-16 offsets into the text. */
export type LayOut = (lines: PlacedLine[]) => { text: string; lines: (Area & { start: number; end: number })[] }

/** A line's rectangle is higher than its font, and not always by the same: letters may have tails or not. */
const fontShare = 0.7
const sameSize = 1.35

/** The text of a picture in reading order, with the box of each row in fractions of the picture as it is shown. */
export function pictureText({ lines, width, height, turns }: ReadPage, layOut: LayOut): PictureText {
  const slant = median(lines.filter(({ rect }) => !isUpended(rect)).map(({ rect }) => rect.angle))
  const usual = median(lines.map(({ rect }) => Math.min(rect.width, rect.height)))
  const placed = lines.map(({ text, rect }): PlacedLine => {
    const level = levelled(rect, slant)
    const thickness = Math.min(rect.width, rect.height)
    const isUsual = Math.max(thickness, usual) < sameSize * Math.min(thickness, usual)
    return {
      ...areaOf(cornersOf(level)),
      // What was found apart is apart: a space.
      text: `${text} `,
      size: fontShare * (isUsual ? usual : thickness),
      upright: !isUpended(rect),
      rightToLeft: false,
    }
  })
  const found = layOut(placed)
  const shown = turns % 2 === 0 ? { width, height } : { width: height, height: width }
  return {
    text: found.text,
    lines: found.lines.map(({ start, end, ...area }) => {
      const corners = cornersOf(rectOf(area)).map((corner) => {
        const upright = rotated(corner, slant)
        return turnedPoint(upright, (4 - turns) % 4, { width, height })
      })
      return { start, end, ...fractions(areaOf(corners), shown) }
    }),
  }
}

function levelled(rect: Rect, slant: number): Rect {
  return { ...rect, ...rotated(rect, -slant), angle: 0 }
}

function rotated({ x, y }: Point, angle: number): Point {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  return { x: x * c - y * s, y: x * s + y * c }
}

const rectOf = ({ left, top, right, bottom }: Area): Rect => ({
  x: (left + right) / 2,
  y: (top + bottom) / 2,
  width: right - left,
  height: bottom - top,
  angle: 0,
})

function fractions({ left, top, right, bottom }: Area, { width, height }: { width: number; height: number }) {
  const share = (length: number, of: number) => Math.min(1, Math.max(0, length / of))
  const [x, y] = [share(left, width), share(top, height)]
  return { x, y, w: share(right, width) - x, h: share(bottom, height) - y }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}
