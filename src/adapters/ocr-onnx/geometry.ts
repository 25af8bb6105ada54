export interface Point {
  x: number
  y: number
}

/**
 * A rectangle by its middle, in pixels. `width` runs along (cos `angle`, sin `angle`), `height` at right angles to it,
 * downwards. The angle is from -45° to 45°, in radians.
 */
export interface Rect extends Point {
  width: number
  height: number
  angle: number
}

/** Taller than wide by so much that its writing runs up or down the page. */
export const isUpended = ({ width, height }: Rect): boolean => height >= 1.5 * width

export interface Area {
  left: number
  top: number
  right: number
  bottom: number
}

/** Clockwise from the top left. */
export function cornersOf({ x, y, width, height, angle }: Rect): Point[] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const corner = (i: number, j: number): Point => {
    const [a, b] = [(i * width) / 2, (j * height) / 2]
    return { x: x + a * c - b * s, y: y + a * s + b * c }
  }
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]
}

export function areaOf(points: readonly Point[]): Area {
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

/** Andrew's monotone chain. Counterclockwise, without points on its edges. */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y)
  const half = (list: readonly Point[]) => {
    const chain: Point[] = []
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.toReversed())]
}

const turn = (a: Point | undefined, b: Point | undefined, c: Point): number =>
  a && b ? (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) : 0

/** The rectangle of the least area around points: one of its sides lies on an edge of their convex hull. */
export function smallestRect(points: readonly Point[]): Rect {
  const hull = convexHull(points)
  let best: Rect | null = null
  for (const [i, from] of hull.entries()) {
    const to = hull[(i + 1) % hull.length] ?? from
    const rect = rectAlong(hull, squareAngle(Math.atan2(to.y - from.y, to.x - from.x)))
    if (best === null || rect.width * rect.height < best.width * best.height) best = rect
  }
  return best ?? { x: 0, y: 0, width: 0, height: 0, angle: 0 }
}

/** The same direction, give or take quarter turns, from -45° to 45°. */
const squareAngle = (angle: number) => angle - Math.round(angle / (Math.PI / 2)) * (Math.PI / 2)

function rectAlong(points: readonly Point[], angle: number): Rect {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const { left, top, right, bottom } = areaOf(points.map(({ x, y }) => ({ x: x * c + y * s, y: y * c - x * s })))
  const [a, b] = [(left + right) / 2, (top + bottom) / 2]
  return { x: a * c - b * s, y: a * s + b * c, width: right - left, height: bottom - top, angle }
}

/** The point after the picture of this size has been turned to the left by quarter turns. */
export function turnedPoint({ x, y }: Point, turns: number, { width, height }: Size): Point {
  if (turns === 0) return { x, y }
  return turnedPoint({ x: y, y: width - x }, turns - 1, { width: height, height: width })
}

export const turnedRect = (rect: Rect, turns: number, size: Size): Rect => ({
  ...rect,
  ...turnedPoint(rect, turns, size),
  ...(turns % 2 === 1 && { width: rect.height, height: rect.width }),
})

interface Size {
  width: number
  height: number
}
