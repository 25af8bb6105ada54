import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePng } from '../../support/documents/make-png.ts'
import { makeWav } from '../../support/documents/make-wav.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

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
