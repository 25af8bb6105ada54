import { crc32, deflateSync } from 'node:zlib'
import type { PDFPageProxy } from 'unpdf/pdfjs'
import type { OpenFile } from '../../../ports/format.ts'
import { type PagePicture, ParseError } from '../../../ports/parser.ts'
import { drawn, type Matrix, product, transformed } from './drawn.ts'
import { type OpenPdf, openPdf } from './open-pdf.ts'

/** A picture as the library decodes it. `kind`: 1 is one bit a pixel, 2 is RGB, 3 is RGBA. */
interface Decoded {
  width: number
  height: number
  kind: 1 | 2 | 3
  data: Uint8Array | Uint8ClampedArray
}

/** The largest picture of each page, which is the page itself where a scanner made it. Null for a page without any. */
export async function picturesOfPages(file: OpenFile, pages: readonly number[]): Promise<(PagePicture | null)[]> {
  const pdf = await openPdf(await file.readAll())
  try {
    const found: (PagePicture | null)[] = []
    for (const number of pages) found.push(await pictureOf(pdf, number))
    return found
  } catch (error) {
    throw error instanceof ParseError ? error : new ParseError('malformed', 'A page of the PDF is damaged.')
  } finally {
    await pdf.close()
  }
}

async function pictureOf({ document, operators: codes }: OpenPdf, number: number): Promise<PagePicture | null> {
  const page = await document.getPage(number)
  let largest: { picture: Decoded; matrix: Matrix } | null = null
  for (const { code, args, matrix } of drawn(await page.getOperatorList(), codes)) {
    const [first] = args
    const isNamed = code === codes.paintImageXObject && typeof first === 'string'
    const picture = isNamed ? await decoded(page, first) : code === codes.paintInlineImageXObject ? first : null
    if (isDecoded(picture) && area(picture) > area(largest?.picture ?? null)) largest = { picture, matrix }
  }
  const { transform, width, height } = page.getViewport({ scale: 1 })
  page.cleanup()
  if (largest === null) return null
  const placed = product(transform as unknown as Matrix, largest.matrix)
  const [left, top, right, bottom] = transformed(placed, [0, 0, 1, 1])
  const box = { x: left / width, y: top / height, w: (right - left) / width, h: (bottom - top) / height }
  return { bytes: uprightPng(largest.picture, placed), box }
}

/** `placed` is from the square of the picture, whose top is at 1, to the page as it is shown, whose top is at 0. */
function uprightPng(picture: Decoded, [a, b, c, d]: Matrix): Uint8Array {
  const { width, height } = picture
  const at = lightness(picture)
  const across = (x: number, isTurned: boolean) => (isTurned ? width - 1 - x : x)
  const down = (y: number, isTurned: boolean) => (isTurned ? height - 1 - y : y)
  return Math.abs(a) >= Math.abs(b)
    ? grayPng(width, height, (x, y) => at(across(x, a < 0), down(y, d > 0)))
    : grayPng(height, width, (x, y) => at(across(y, b < 0), down(x, c > 0)))
}

const area = (picture: Decoded | null) => (picture ? picture.width * picture.height : 0)

/** A picture that the library could not decode is null there, or never comes: operators are listed when all are there. */
function decoded(page: PDFPageProxy, name: string): Promise<unknown> {
  const store = name.startsWith('g_') ? page.commonObjs : page.objs
  return new Promise((resolve) => {
    if (store.has(name)) store.get(name, resolve)
    else resolve(null)
  })
}

function isDecoded(value: unknown): value is Decoded {
  if (typeof value !== 'object' || value === null || !('data' in value)) return false
  const { width, height, kind, data } = value as Partial<Decoded>
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray) || !width || !height) return false
  return kind !== undefined && data.length >= height * bytesPerRow(kind, width)
}

const bytesPerRow = (kind: Decoded['kind'], width: number) => (kind === 1 ? (width + 7) >> 3 : width * (kind + 1))

/** 0..255 of a pixel. Rec. 601. */
function lightness({ width, kind, data }: Decoded): (x: number, y: number) => number {
  const row = bytesPerRow(kind, width)
  const at = (i: number) => data[i] ?? 0
  if (kind === 1) return (x, y) => ((at(y * row + (x >> 3)) >> (7 - (x & 7))) & 1) * 255
  return (x, y) => {
    const i = y * row + x * (kind + 1)
    return (299 * at(i) + 587 * at(i + 1) + 114 * at(i + 2)) / 1000
  }
}

/** Models scale larger pictures down themselves. Pixels. */
const maxSide = 2_000

/** A gray PNG of a picture, scaled down by whole numbers to at most 2,000 pixels each way: each pixel is a mean. */
function grayPng(width: number, height: number, lightness: (x: number, y: number) => number): Uint8Array {
  const step = Math.ceil(Math.max(width, height) / maxSide)
  const [w, h] = [Math.ceil(width / step), Math.ceil(height / step)]
  const rows = Buffer.alloc(h * (w + 1))
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      let [sum, count] = [0, 0]
      for (let j = y * step; j < Math.min(height, (y + 1) * step); j++) {
        for (let i = x * step; i < Math.min(width, (x + 1) * step); i++) {
          sum += lightness(i, j)
          count++
        }
      }
      // Each row begins with its filter: 0 is none.
      rows[y * (w + 1) + 1 + x] = Math.round(sum / count)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(w, 0)
  header.writeUInt32BE(h, 4)
  header.writeUInt8(8, 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
