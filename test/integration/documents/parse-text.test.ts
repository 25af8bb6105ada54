import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

describe('parsing text files', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it('makes verbatim chunks', async () => {
    const paragraphs = Array.from(
      { length: 40 },
      (_, i) => `Paragraph ${i} says something. ${'It is long. '.repeat(20)}`,
    )
    const text = paragraphs.join('\n\n')
    const { units, ...file } = await parser.parseBytes('notes.txt', text)
    expect(file).toEqual({ mime: 'text/plain', text: null, textIsFile: true, charset: 'utf-8', attachments: [] })
    expect(units.length).toBeGreaterThan(5)
    for (const { locator, text: chunk, modality } of units) {
      expect(modality).toBe('chunk')
      expect(locator).toMatchObject({ kind: 'char_span' })
      if (locator?.kind === 'char_span') expect(text.slice(locator.start, locator.end)).toBe(chunk)
    }
  })

  it.each([
    ['page', 'text/html', '<!-- new --><html><p>words'],
    ['feed', 'application/xml', '<?xml version="1.0"?><feed>words</feed>'],
    ['cues', 'application/x-subrip', '1\n00:00:01,000 --> 00:00:02,000\nwords\n'],
    ['a.vtt', 'text/vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nwords\n'],
    ['a.json', 'application/json', '{"a": "words"}'],
    ['a.jsonl', 'application/jsonl', '{"a": "words"}\n'],
    ['lines.1', 'text/plain', '2026-03-01T10:00:00Z words\n'.repeat(12)],
  ])('finds the format of a text in UTF-16 by its content: %s', async (name, mime, text) => {
    const utf16 = Buffer.from(text, 'utf16le')
    for (const bytes of [utf16, Buffer.from(utf16).swap16(), Buffer.concat([Buffer.of(0xff, 0xfe), utf16])]) {
      const parsed = await parser.parseBytes(name, bytes)
      expect(parsed.mime).toBe(mime)
      expect(parsed.units[0]?.text).toContain('words')
    }
  })

  it('says that UTF-32 is not read', async () => {
    for (const bytes of ['fffe000061000000', '0000feff00000061']) {
      const parsed = parser.parseBytes('a.txt', Buffer.from(bytes, 'hex'))
      await expect(parsed).rejects.toMatchObject({ reason: 'unsupported', detail: expect.stringContaining('UTF-32') })
    }
  })

  it('names what it cannot read', async () => {
    const random = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)
    await expect(parser.parseBytes('a.txt', random)).rejects.toMatchObject({ reason: 'malformed' })
    await expect(parser.parseBytes('a.bin', random)).rejects.toMatchObject({ reason: 'unsupported' })
    await expect(parser.parseBytes('a.txt', '')).rejects.toMatchObject({ reason: 'empty' })
    await expect(parser.parseBytes('a.txt', ' \n ')).rejects.toMatchObject({ reason: 'empty' })
  })
})
