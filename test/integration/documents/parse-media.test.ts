import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDecoder } from '../../../src/adapters/local-models/decoder.ts'
import { pictureMime, pictureSize } from '../../../src/adapters/parsers/picture-size.ts'
import { makePng } from '../../support/documents/make-png.ts'
import { makeTiff } from '../../support/documents/make-tiff.ts'
import { makeWav } from '../../support/documents/make-wav.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

/** A BITMAPINFOHEADER with 24 bits a pixel, rows from the top. */
function bmpOf(width: number, height: number): Buffer {
  const pixels = Buffer.alloc(Math.ceil((width * 3) / 4) * 4 * height, 0xff)
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(54 + pixels.length, 2)
  header.writeUInt32LE(54, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(width, 18)
  header.writeInt32LE(-height, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(24, 28)
  return Buffer.concat([header, pixels])
}

/** Red, 100 x 80 pixels. */
const heic = Buffer.from(
  'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAVZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAA' +
    'AAAERAAAEAAQAAAAABegABAAAAAAAAAC4AAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA1mlwcnAA' +
    'AAC3aXBjbwAAAHhodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AAAAMAkA' +
    'AAAwAAAwAeoDSBR35bqSSmubgIaDAgAAADAyAAAAMAIWIAAQAHRAHBcrAiQAAAABNjb2xybmNseAABAA0ABoAAAAAUaXNwZQAAAAAAAABkAAAA' +
    'UAAAABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgQIDBAAAADZtZGF0AAAAKigBrxOA5qhw0//+JpR//Trnh+nl0tJ5vZFOXBzLy2' +
    'r6AAA6wAAG0AALeA==',
  'base64',
)
const jxl = Buffer.from(
  '/wqTBwATiAIAUAG1nyAAABUqo4wbvJzr+fJDh8W0jesMbbVtYQljs70wSAiAC46pyxhjZgNYSQBgEMaSQjoyH99YtrP9AKQ8CROpagZAEEQ8O6' +
    'XylzMukm2LotlKEgA=',
  'base64',
)

/** The same in boxes: the signature, the type, the codestream. */
const jxlBoxes = Buffer.concat([
  Buffer.from('\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl \0\0\0\x67jxlc', 'latin1'),
  jxl,
])

/** A box of MP4 (ISO/IEC 14496-12, 4.2). */
function box(type: string, ...content: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part as string, 'latin1')))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(8 + body.length)
  return Buffer.concat([head, Buffer.from(type), body])
}
const numbers = (...values: readonly number[]) => Buffer.from(new Uint32Array(values).buffer).swap32()

/** Two seconds, without sound: only the track says how long. */
const film = Buffer.concat([
  box('ftyp', 'mp42', numbers(0)),
  box(
    'moov',
    box(
      'trak',
      box('tkhd', numbers(0, 0, 0, 1, 0, 2000), Buffer.alloc(60)),
      box(
        'mdia',
        box('mdhd', numbers(0, 0, 0, 1000, 2000, 0)),
        box('hdlr', numbers(0, 0), 'vide', Buffer.alloc(13)),
        box('minf', box('stbl', box('stsd', numbers(0, 1), box('avc1', Buffer.alloc(78))))),
      ),
    ),
  ),
])

describe('parsing pictures and recordings', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it('finds a picture by its name, its own words and its sidecar', async () => {
    const png = makePng(70, 70, { Description: 'Boats at the pier' })
    const sidecar = JSON.stringify({
      text: 'A quiet morning',
      title: 'Harbour',
      metadata: { year: 2020, odd: { a: 1 } },
    })
    const { text, units, mime } = await parser.parseBytes('trips/IMG_2034-sunsetAt beach.png', png, { sidecar })
    expect([mime, text]).toEqual(['image/png', null])
    expect(units).toEqual([
      {
        modality: 'image',
        media: 'picture',
        text: 'IMG 2034 sunset At beach\nBoats at the pier\nA quiet morning',
        title: 'Harbour',
        locator: { kind: 'bbox', x: 0, y: 0, w: 1, h: 1 },
        metadata: { year: 2020 },
      },
    ])
  })

  it.each([
    ['TIFF', 'image/tiff', makeTiff([{ width: 70, height: 80 }])],
    ['BMP', 'image/bmp', bmpOf(70, 80)],
    ['HEIC', 'image/heic', heic],
    ['HEIF', 'image/heic', heic],
    ['JXL', 'image/jxl', jxl],
    ['JXL', 'image/jxl', jxlBoxes],
  ])('finds a picture in %s', async (format, mime, bytes) => {
    const parsed = await parser.parseBytes(`sign.${format.toLowerCase()}`, bytes)
    expect(parsed).toMatchObject({ mime, units: [{ modality: 'image', media: 'picture', text: 'sign' }] })
  })

  it('reads each page of a scan', async () => {
    const levels = [10, 120, 240]
    const scan = makeTiff(levels.map((level) => ({ width: 70, height: 80, pixel: () => level })))
    const { units, mime } = await parser.parseBytes('ledger 1907.tif', scan)
    expect(mime).toBe('image/tiff')
    const page = { modality: 'doc_page', media: 'page', text: 'ledger 1907', title: null }
    expect(units).toEqual(
      [1, 2, 3].map((n) => ({
        ...page,
        locator: { kind: 'bbox', page: n, x: 0, y: 0, w: 1, h: 1 },
        metadata: { page: n },
      })),
    )
    const pictures = await parser.pagePictureBytes('ledger 1907.tif', scan, [3, 1, 4])
    const decoder = createDecoder(() => new Error('ended'))
    const seen = []
    for (const picture of pictures) {
      const decoded = picture && (await decoder.decode(picture, { maxSide: 10 }))
      seen.push(decoded && 'data' in decoded ? decoded.data[0] : null)
    }
    await decoder.close(new Error('closed'))
    expect(seen).toEqual([240, 10, null])
  })

  it('decodes HEIC and JPEG XL', async () => {
    const decoder = createDecoder(() => new Error('ended'))
    const seen = []
    for (const bytes of [heic, jxl, jxlBoxes]) {
      expect(pictureSize(bytes)).toEqual({ width: 100, height: 80 })
      const decoded = await decoder.decode({ mime: pictureMime(bytes) ?? '', bytes }, { maxSide: 10 })
      seen.push('data' in decoded ? [decoded.width, decoded.height, (decoded.data[0] ?? 0) > 250] : decoded)
    }
    await decoder.close(new Error('closed'))
    expect(seen).toEqual(Array(3).fill([10, 8, true]))
  })

  it('takes a sidecar that is not JSON as a text', async () => {
    const { units } = await parser.parseBytes('a.png', makePng(9, 9), { sidecar: 'A {brace}' })
    expect(units.at(0)?.text).toBe('a\nA {brace}')
  })

  it('finds a recording by its name, over its whole length', async () => {
    const { units, mime } = await parser.parseBytes('board-meeting.wav', makeWav())
    expect(mime).toBe('audio/wav')
    expect(units).toEqual([
      {
        modality: 'audio_utterance',
        media: 'recording',
        text: 'board meeting',
        title: null,
        locator: { kind: 'time_range', tStartMs: 0, tEndMs: 1000 },
        metadata: {},
      },
    ])
  })

  it('finds a film without sound, for as long as it is', async () => {
    const { units } = await parser.parseBytes('silent-pier.mp4', film)
    expect(units).toMatchObject([
      { modality: 'video_shot', text: 'silent pier', locator: { kind: 'time_range', tStartMs: 0, tEndMs: 2000 } },
    ])
  })

  it.each(['a.png', 'a.jpg', 'a.webp', 'a.mp3', 'a.wav', 'a.mp4'])('noise named %s is malformed', async (name) => {
    const noise = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)
    await expect(parser.parseBytes(name, noise)).rejects.toMatchObject({ reason: 'malformed' })
  })

  it('a file that is cut off after its first bytes is malformed', async () => {
    const cut = async (name: string, bytes: Uint8Array) =>
      expect(parser.parseBytes(name, bytes)).rejects.toMatchObject({ reason: 'malformed' })
    await cut('a.png', makePng(70, 70).subarray(0, 20))
    await cut('a.wav', makeWav().subarray(0, 14))
  })
})
