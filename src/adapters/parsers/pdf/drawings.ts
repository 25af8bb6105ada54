import type { PDFPageProxy } from 'unpdf/pdfjs'

type Operators = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>
type Codes = Record<string, number>
type Matrix = readonly [number, number, number, number, number, number]

/** The page is cut into this many fields each way, and those that a picture covers are counted. */
const fields = 50

/**
 * The share of a page, 0..1, that pictures and drawings cover. A drawing is what has curves or slanting lines: straight
 * lines and rectangles are the rules and the shading of tables and text. `view` is the page in its own units.
 */
export function pictureShare({ fnArray, argsArray }: Operators, codes: Codes, view: readonly number[]): number {
  const covered = new Uint8Array(fields * fields)
  const [x0 = 0, y0 = 0, x1 = 1, y1 = 1] = view
  const mark = (matrix: Matrix, box: readonly number[]) => {
    const [left, bottom, right, top] = transformed(matrix, box)
    const fieldOf = (at: number, from: number, until: number) =>
      Math.min(fields, Math.max(0, Math.round(((at - from) / (until - from)) * fields)))
    for (let x = fieldOf(left, x0, x1); x < fieldOf(right, x0, x1); x++) {
      covered.fill(1, x * fields + fieldOf(bottom, y0, y1), x * fields + fieldOf(top, y0, y1))
    }
  }
  const pictures = new Set([codes.paintImageXObject, codes.paintInlineImageXObject, codes.paintImageMaskXObject])
  let matrix: Matrix = [1, 0, 0, 1, 0, 0]
  const saved: Matrix[] = []
  fnArray.forEach((code: number, i: number) => {
    const args = (argsArray[i] ?? []) as unknown[]
    if (code === codes.save) saved.push(matrix)
    else if (code === codes.restore || code === codes.paintFormXObjectEnd) matrix = saved.pop() ?? matrix
    else if (code === codes.transform) matrix = product(matrix, args as number[])
    else if (code === codes.paintFormXObjectBegin) {
      saved.push(matrix)
      if (args[0] != null) matrix = product(matrix, Array.from(args[0] as ArrayLike<number>))
    } else if (pictures.has(code)) mark(matrix, [0, 0, 1, 1])
    else if (code === codes.constructPath && isDrawing(args, codes))
      mark(matrix, Array.from(args[2] as ArrayLike<number>))
  })
  return covered.reduce((sum, field) => sum + field, 0) / covered.length
}

/** Curves and slanting lines that are painted. The library's path is a list: 0 move, 1 line, 2 and 3 curves, 4 close. */
function isDrawing([paint, paths, box]: readonly unknown[], codes: Codes): boolean {
  const path = Array.isArray(paths) ? (paths[0] as unknown) : null
  if (box == null || paint === codes.endPath || !(path instanceof Float32Array)) return false
  let [x, y] = [0, 0]
  for (let i = 0; i < path.length; ) {
    const step = path[i]
    if (step === 2 || step === 3) return true
    const [nextX, nextY] = [path[i + 1] ?? 0, path[i + 2] ?? 0]
    if (step === 1 && Math.abs(nextX - x) > 1 && Math.abs(nextY - y) > 1) return true
    if (step === 4) i += 1
    else {
      ;[x, y] = [nextX, nextY]
      i += 3
    }
  }
  return false
}

function product(a: Matrix, [b0 = 1, b1 = 0, b2 = 0, b3 = 1, b4 = 0, b5 = 0]: readonly number[]): Matrix {
  return [
    a[0] * b0 + a[2] * b1,
    a[1] * b0 + a[3] * b1,
    a[0] * b2 + a[2] * b3,
    a[1] * b2 + a[3] * b3,
    a[0] * b4 + a[2] * b5 + a[4],
    a[1] * b4 + a[3] * b5 + a[5],
  ]
}

function transformed(m: Matrix, [x0 = 0, y0 = 0, x1 = 0, y1 = 0]: readonly number[]): [number, number, number, number] {
  const corners = [x0, x1].flatMap((x) =>
    [y0, y1].map((y) => [m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]] as const),
  )
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
