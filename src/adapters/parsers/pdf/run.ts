/** A piece of text on a page, in points from the top left corner of the page as it is shown. */
export interface Run {
  text: string
  left: number
  top: number
  right: number
  bottom: number
  /** Size of the font in points. */
  size: number
  rightToLeft: boolean
  /** False for text that runs up or down the page, such as a stamp in the margin. */
  upright: boolean
}

export type Area = Pick<Run, 'left' | 'top' | 'right' | 'bottom'>

/** The smallest area around all of `areas`, of which there is at least one. */
export function around(areas: readonly Area[]): Area {
  const area = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  for (const each of areas) {
    area.left = Math.min(area.left, each.left)
    area.top = Math.min(area.top, each.top)
    area.right = Math.max(area.right, each.right)
    area.bottom = Math.max(area.bottom, each.bottom)
  }
  return area
}

/** What two runs share of the height of the lower one: 1 for text on one line, 0 for text above each other. */
export function sharedHeight(a: Area, b: Area): number {
  const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  return shared / Math.max(0.01, Math.min(a.bottom - a.top, b.bottom - b.top))
}
