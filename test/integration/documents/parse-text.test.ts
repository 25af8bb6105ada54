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

  it('names what it cannot read', async () => {
    const random = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)
    await expect(parser.parseBytes('a.txt', random)).rejects.toMatchObject({ reason: 'malformed' })
    await expect(parser.parseBytes('a.bin', random)).rejects.toMatchObject({ reason: 'unsupported' })
    await expect(parser.parseBytes('a.txt', '')).rejects.toMatchObject({ reason: 'empty' })
    await expect(parser.parseBytes('a.txt', ' \n ')).rejects.toMatchObject({ reason: 'empty' })
  })
})
