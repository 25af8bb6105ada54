import { crc32, deflateSync } from 'node:zlib'
import type { PDFPageProxy } from 'unpdf/pdfjs'
import type { OpenFile } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { type OpenPdf, openPdf } from './open-pdf.ts'

/** A picture as the library decodes it. `kind`: 1 is one bit a pixel, 2 is RGB, 3 is RGBA. */
interface Decoded {
  width: number
  height: number
  kind: 1 | 2 | 3
  data: Uint8Array | Uint8ClampedArray
}

/** The largest picture of each page, which is the page itself where a scanner made it. Null for a page without any. */
export async function picturesOfPages(file: OpenFile, pages: readonly number[]): Promise<(Uint8Array | null)[]> {
  const pdf = await openPdf(await file.readAll())
  try {
    const found: (Uint8Array | null)[] = []
    for (const number of pages) found.push(await pictureOf(pdf, number))
    return found
  } catch (error) {
    throw error instanceof ParseError ? error : new ParseError('malformed', 'A page of the PDF is damaged.')
  } finally {
    await pdf.close()
  }
}

async function pictureOf({ document, operators }: OpenPdf, number: number): Promise<Uint8Array | null> {
  const page = await document.getPage(number)
  const { fnArray, argsArray } = await page.getOperatorList()
  let largest: Decoded | null = null
  for (const [i, code] of fnArray.entries()) {
    const [first] = (argsArray[i] ?? []) as unknown[]
    const isNamed = code === operators.paintImageXObject && typeof first === 'string'
    const picture = isNamed ? await decoded(page, first) : code === operators.paintInlineImageXObject ? first : null
    if (isDecoded(picture) && picture.width * picture.height > area(largest)) largest = picture
  }
  page.cleanup()
  return largest && grayPng(largest.width, largest.height, lightness(largest))
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
