import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist'
import { parseLimits } from '../../../model/parse-limits.ts'
import { ParseError } from '../../../ports/parser.ts'

export interface OpenPdf {
  document: PDFDocumentProxy
  /** The library's codes of drawing operators, by name. */
  operators: Record<string, number>
  /** The library's codes of marks on a page, by name. */
  annotations: Record<string, number>
  close(): Promise<void>
}

/** A larger picture is left out. Pixels. */
const maxImageSize = 100e6

/** Opens a PDF. Errors: ParseError `locked`, `malformed`, `too_large`. */
export async function openPdf(data: Uint8Array): Promise<OpenPdf> {
  const { getDocument, OPS, AnnotationType } = await import('pdfjs-dist/legacy/build/pdf.mjs')
  // Tables of characters, fonts that a file need not have, and decoders of JBIG2, JPEG 2000 and colours.
  const folder = (name: string) =>
    `${dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))}/${name}/`
  const task = getDocument({
    ...{ data, verbosity: 0, disableFontFace: true, useSystemFonts: false, enableXfa: false, maxImageSize },
    ...{ cMapUrl: folder('cmaps'), standardFontDataUrl: folder('standard_fonts') },
    ...{ wasmUrl: folder('wasm'), iccUrl: folder('iccs') },
  })
  try {
    const document = await task.promise
    if (document.numPages > parseLimits.pages) throw new ParseError('too_large', 'The PDF has more than 2,000 pages.')
    return { document, operators: OPS, annotations: { ...AnnotationType }, close: () => task.destroy() }
  } catch (error) {
    await task.destroy()
    throw error instanceof ParseError ? error : openingError(error)
  }
}

function openingError(error: unknown): ParseError {
  if (error instanceof Error && error.name === 'PasswordException') {
    return new ParseError('locked', 'The PDF opens only with a password.')
  }
  return new ParseError('malformed', 'The PDF is damaged.')
}

export type Operators = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>
/** The library's codes of drawing operators, by name. */
export type Codes = Record<string, number>
/** x' = a x + c y + e and y' = b x + d y + f, in the order a to f. */
export type Matrix = readonly [number, number, number, number, number, number]

interface Drawn {
  code: number
  args: readonly unknown[]
  /** From the operator's own units to those of the page. A picture's own units are the square from 0 to 1. */
  matrix: Matrix
}

/** What a page draws, in order. */
export function* drawn({ fnArray, argsArray }: Operators, codes: Codes): Generator<Drawn> {
  let matrix: Matrix = [1, 0, 0, 1, 0, 0]
  const saved: Matrix[] = []
  for (const [i, code] of fnArray.entries()) {
    const args = (argsArray[i] ?? []) as unknown[]
    if (code === codes.save) saved.push(matrix)
    else if (code === codes.restore || code === codes.paintFormXObjectEnd) matrix = saved.pop() ?? matrix
    else if (code === codes.transform) matrix = product(matrix, args as number[])
    else if (code === codes.paintFormXObjectBegin) {
      saved.push(matrix)
      if (args[0] != null) matrix = product(matrix, Array.from(args[0] as ArrayLike<number>))
    } else yield { code, args, matrix }
  }
}

/** The matrix that applies `b` first. */
export function product(a: Matrix, [b0 = 1, b1 = 0, b2 = 0, b3 = 1, b4 = 0, b5 = 0]: readonly number[]): Matrix {
  return [
    a[0] * b0 + a[2] * b1,
    a[1] * b0 + a[3] * b1,
    a[0] * b2 + a[2] * b3,
    a[1] * b2 + a[3] * b3,
    a[0] * b4 + a[2] * b5 + a[4],
    a[1] * b4 + a[3] * b5 + a[5],
  ]
}

/** The smallest upright box around a box that a matrix has turned: its least x and y, then its largest. */
export function transformed(
  m: Matrix,
  [x0 = 0, y0 = 0, x1 = 0, y1 = 0]: readonly number[],
): [number, number, number, number] {
  const corners = [x0, x1].flatMap((x) =>
    [y0, y1].map((y) => [m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]] as const),
  )
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
