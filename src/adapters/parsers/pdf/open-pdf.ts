import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { PDFDocumentProxy } from 'pdfjs-dist'
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
