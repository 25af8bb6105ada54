import { crc32, deflateSync } from 'node:zlib'
import type { PDFPageProxy } from 'pdfjs-dist'
import type { OpenFile } from '../../../ports/format.ts'
import { type PagePicture, ParseError } from '../../../ports/parser.ts'
import { drawn, type Matrix, type OpenPdf, openPdf, product, transformed } from './open-pdf.ts'

/** A picture as the library decodes it. `kind`: 1 is one bit a pixel, 2 is RGB, 3 is RGBA. A mask has no kind: 0 is black. */
interface Decoded {
  width: number
  height: number
  kind?: 1 | 2 | 3
  data: Uint8Array | Uint8ClampedArray
}

/** A picture on a page as it is shown: the matrix leads from the square of the picture, whose top is at 1, to points. */
interface Placed {
  picture: Decoded
  isMask: boolean
  matrix: Matrix
}

/**
 * What the pictures of each page show together: a scanner may cut a page into strips, and put its text into a mask over
 * its colours. Null for a page without any.
 */
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

/** Smaller ones are marks and rules. Pixels. */
const minPixels = 64
/** Models scale larger pictures down themselves. Pixels. */
const maxSide = 2_000

async function pictureOf({ document, operators }: OpenPdf, number: number): Promise<PagePicture | null> {
  const page = await document.getPage(number)
  const { transform, width, height } = page.getViewport({ scale: 1 })
  const placed: Placed[] = []
  for await (const { matrix, ...picture } of picturesOn(page, operators)) {
    placed.push({ ...picture, matrix: product(transform as unknown as Matrix, matrix) })
  }
  page.cleanup()
  const corners = placed.map(({ matrix }) => transformed(matrix, [0, 0, 1, 1]))
  const left = Math.max(0, Math.min(...corners.map(([x]) => x)))
  const top = Math.max(0, Math.min(...corners.map(([, y]) => y)))
  const right = Math.min(width, Math.max(...corners.map(([, , x]) => x)))
  const bottom = Math.min(height, Math.max(...corners.map(([, , , y]) => y)))
  if (placed.length === 0 || right <= left || bottom <= top) return null
  const finest = Math.max(
    ...placed.map(({ picture, matrix: [a, b] }) => picture.width / Math.max(0.01, Math.hypot(a, b))),
  )
  const scale = Math.min(finest, maxSide / Math.max(right - left, bottom - top))
  const canvas = createCanvas((right - left) * scale, (bottom - top) * scale)
  for (const each of placed) canvas.draw(each, product([scale, 0, 0, scale, -left * scale, -top * scale], each.matrix))
  const box = { x: left / width, y: top / height, w: (right - left) / width, h: (bottom - top) / height }
  return { mime: 'image/png', bytes: canvas.png(), box }
}

/** The pictures that a page draws, in order. */
async function* picturesOn(page: PDFPageProxy, codes: OpenPdf['operators']): AsyncGenerator<Placed> {
  for (const { code, args, matrix } of drawn(await page.getOperatorList(), codes)) {
    const [first] = args
    const isMask = code === codes.paintImageMaskXObject || code === codes.paintImageMaskXObjectGroup
    const isPicture = code === codes.paintImageXObject || code === codes.paintInlineImageXObject
    if (!isMask && !isPicture) continue
    for (const each of [first].flat()) {
      const within = (each as { transform?: number[] } | null)?.transform
      const picture = await decoded(page, isMask ? ((each as { data?: unknown } | null)?.data ?? null) : each)
      const whole = isMask && picture instanceof Uint8Array ? { ...(each as Decoded), data: picture } : picture
      if (isDecoded(whole, isMask) && whole.width * whole.height >= minPixels * minPixels)
        yield { picture: whole, isMask, matrix: within ? product(matrix, within) : matrix }
    }
  }
}

/** A picture stands in the list of operators itself, or by its name, and comes later. One that can't be decoded is null. */
function decoded(page: PDFPageProxy, picture: unknown): Promise<unknown> {
  if (typeof picture !== 'string') return Promise.resolve(picture)
  const store = picture.startsWith('g_') ? page.commonObjs : page.objs
  return new Promise((resolve) => store.get(picture, resolve))
}

function isDecoded(value: unknown, isMask: boolean): value is Decoded {
  if (typeof value !== 'object' || value === null || !('data' in value)) return false
  const { width, height, kind, data } = value as Partial<Decoded>
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray) || !width || !height) return false
  return (isMask || kind !== undefined) && data.length >= height * bytesPerRow(isMask ? 1 : kind, width)
}

const bytesPerRow = (kind: Decoded['kind'] = 1, width: number) => (kind === 1 ? (width + 7) >> 3 : width * (kind + 1))

/** 0..255 of a pixel (Rec. 601), and how much of it covers what is below, 0..1. */
function pixelsOf({ picture: { width, kind = 1, data }, isMask }: Placed): (x: number, y: number) => [number, number] {
  const row = bytesPerRow(kind, width)
  const at = (i: number) => data[i] ?? 0
  if (kind === 1) {
    const bit = (x: number, y: number) => (at(y * row + (x >> 3)) >> (7 - (x & 7))) & 1
    return isMask ? (x, y) => [0, 1 - bit(x, y)] : (x, y) => [bit(x, y) * 255, 1]
  }
  return (x, y) => {
    const i = y * row + x * (kind + 1)
    return [(299 * at(i) + 587 * at(i + 1) + 114 * at(i + 2)) / 1000, kind === 3 ? at(i + 3) / 255 : 1]
  }
}

/** Samples of a picture each way for a pixel of the page at most. */
const maxSamples = 4

/** A white page in shades of gray. Pictures are scaled down by the mean of the pixels that fall on one. */
function createCanvas(wide: number, high: number) {
  const [width, height] = [Math.max(1, Math.round(wide)), Math.max(1, Math.round(high))]
  const gray = new Uint8Array(width * height).fill(255)
  /** `matrix` is from the square of the picture to pixels. */
  function draw(placed: Placed, matrix: Matrix): void {
    const [a, b, c, d, e, f] = matrix
    const determinant = a * d - b * c
    if (Math.abs(determinant) < 1e-9) return
    const pixel = pixelsOf(placed)
    const { width: w, height: h } = placed.picture
    const samples = Math.min(maxSamples, Math.max(1, Math.round(w / Math.max(1, Math.hypot(a, b)))))
    const [left, top, right, bottom] = transformed(matrix, [0, 0, 1, 1])
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, Math.ceil(bottom)); y++) {
      for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, Math.ceil(right)); x++) {
        let [sum, cover] = [0, 0]
        for (let i = 0; i < samples * samples; i++) {
          const dx = x + ((i % samples) + 0.5) / samples - e
          const dy = y + (Math.floor(i / samples) + 0.5) / samples - f
          const [u, v] = [(d * dx - c * dy) / determinant, (a * dy - b * dx) / determinant]
          if (u < 0 || u >= 1 || v <= 0 || v > 1) continue
          const [light, share] = pixel(Math.floor(u * w), Math.min(h - 1, Math.floor((1 - v) * h)))
          sum += light * share
          cover += share
        }
        const at = y * width + x
        gray[at] = Math.round(((gray[at] ?? 0) * (samples * samples - cover) + sum) / (samples * samples))
      }
    }
  }
  return { draw, png: () => grayPng(width, height, gray) }
}

function grayPng(width: number, height: number, gray: Uint8Array): Uint8Array {
  const rows = Buffer.alloc(height * (width + 1))
  // Each row begins with its filter: 0 is none.
  for (let y = 0; y < height; y++) rows.set(gray.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
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
