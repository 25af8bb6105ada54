import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ParsedFile } from '../../../src/ports/parser.ts'
import { makePdf, type PdfLine } from '../../support/documents/make-pdf.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

describe('parsing PDF', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  const column = (x: number, word: string): PdfLine[] =>
    Array.from({ length: 12 }, (_, i) => ({
      x,
      y: 700 - i * 12,
      text: `The ${word} column continues in line ${i} of it`,
    }))

  it('reads columns one after the other, below what runs across them', async () => {
    const lines = [...column(50, 'left'), ...column(330, 'right')].sort((a, b) => b.y - a.y)
    const across = { x: 50, y: 730, size: 20, text: 'A title that runs across both of the columns below' }
    const { text } = await parser.parseBytes('two.pdf', makePdf([{ lines: [...lines, across] }]))
    const at = (part: string) => text?.indexOf(part) ?? -1
    expect(at('A title')).toBe(0)
    expect(at('left column continues in line 11')).toBeLessThan(at('right column continues in line 0'))
    expect(at('left column continues in line 0')).toBeGreaterThan(at('A title'))
  })

  it('keeps the rows of a table', async () => {
    const lines = Array.from({ length: 10 }, (_, i) =>
      [50, 250, 450].map((x) => ({ x, y: 700 - i * 14, text: `${x}/${i}` })),
    )
    const { text } = await parser.parseBytes('table.pdf', makePdf([{ lines: lines.flat() }]))
    expect(text).toContain('50/3\t250/3\t450/3\n50/4\t250/4\t450/4')
  })

  it('places each chunk around its own lines, on one page', async () => {
    const page = (number: number) => ({
      lines: Array.from({ length: 4 }, (_, i) => ({ x: 60, y: 600 - i * 12, text: `Line ${i} of page ${number}.` })),
    })
    const { text, units } = await parser.parseBytes('pages.pdf', makePdf([page(1), page(2)]))
    expect(text?.split('\f')).toHaveLength(3)
    expect(units.map((unit) => unit.metadata)).toEqual([{ page: 1 }, { page: 2 }])
    for (const [i, unit] of units.entries()) {
      expect(text?.split('\f')[i]).toContain(unit.text)
      const { locator } = unit
      if (locator?.kind !== 'bbox') throw new Error('no box')
      expect(locator.page).toBe(i + 1)
      expect(locator.x).toBeCloseTo(0.1, 2)
      // From the top of the first line to the bottom of the last.
      expect(locator.y).toBeCloseTo(1 - 609 / 800, 2)
      expect(locator.y + locator.h).toBeCloseTo(1 - 561 / 800, 2)
    }
  })

  it('joins a word that the end of a line divides', async () => {
    const lines = ['We give more infor-', 'mation on state-of-', 'the-art methods.'].map((text, i) => ({
      x: 60,
      y: 600 - i * 12,
      text,
    }))
    const { text } = await parser.parseBytes('hyphen.pdf', makePdf([{ lines }]))
    expect(text).toContain('more information on state-of-\nthe-art')
  })

  it('takes headings from the size of the type', async () => {
    const body = Array.from({ length: 8 }, (_, i) => ({
      x: 60,
      y: 640 - i * 12,
      text: `The body of the text, line ${i}, in small type.`,
    }))
    const heading = { x: 60, y: 680, size: 18, text: 'Methods' }
    const { units } = await parser.parseBytes('headings.pdf', makePdf([{ lines: [heading, ...body] }]))
    expect(units.map((unit) => unit.title)).toEqual(['Methods'])
  })

  it('makes a page of its own of pages with pictures, and of pages without text', async () => {
    const drawing = '100 100 m 300 500 500 500 500 100 c f'
    const rules = Array.from({ length: 30 }, (_, i) => `50 ${100 + i * 20} m 550 ${100 + i * 20} l S`).join(' ')
    const lines = [{ x: 60, y: 700, text: 'Some text of the page.' }]
    const { units } = await parser.parseBytes(
      'drawn.pdf',
      makePdf([{ lines, drawing }, { lines, drawing: rules }, { lines: [] }]),
    )
    const pages = units.filter((unit) => unit.modality === 'doc_page')
    expect(pages.map((unit) => unit.locator)).toEqual(
      [1, 3].map((page) => ({ kind: 'bbox', page, x: 0, y: 0, w: 1, h: 1 })),
    )
    expect(units.filter((unit) => unit.modality === 'chunk')).toHaveLength(2)
  })

  it('takes the files in it, each once', async () => {
    const page = { lines: [{ x: 60, y: 700, text: 'The report.' }] }
    const pdf = makePdf(
      [page, page],
      [
        { name: 'rates.csv', content: 'port,fee\nAlba,10\n' },
        { name: 'notes (1).txt', content: 'The notes.' },
        { name: 'gone.txt', content: '', missing: true },
        { name: 'on page two.txt', content: 'A mark opens it.', page: 1 },
        { name: 'rates.csv', content: 'port,fee\nAlba,10\n', page: 0 },
        { name: 'rates.csv', content: 'port,fee\nBrun,20\n', page: 0 },
      ],
    )
    const { text, attachments } = await parser.parseBytes('report.pdf', pdf)
    expect(text).toContain('The report.')
    expect(attachments.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['rates.csv', 'port,fee\nAlba,10\n'],
      ['notes (1).txt', 'The notes.'],
      ['rates.csv', 'port,fee\nBrun,20\n'],
      ['on page two.txt', 'A mark opens it.'],
    ])
  })

  it('refuses more than 100 files in it', async () => {
    const files = Array.from({ length: 101 }, (_, i) => ({ name: `${i}.txt`, content: `File ${i}.` }))
    const of = (count: number) => parser.parseBytes('many.pdf', makePdf([{ lines: [] }], files.slice(0, count)))
    expect((await of(100)).attachments).toHaveLength(100)
    await expect(of(101)).rejects.toMatchObject({ reason: 'too_large' })
  })

  it('names what is wrong with a file', async () => {
    const good = makePdf([{ lines: [{ x: 60, y: 700, text: 'text' }] }])
    const rejects = (name: string, bytes: Uint8Array): Promise<void> =>
      expect(parser.parseBytes(name, bytes)).rejects.toMatchObject({ reason: 'malformed' })
    await rejects(
      'noise.pdf',
      Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256),
    )
    await rejects('head.pdf', Buffer.concat([good.subarray(0, 9), Buffer.alloc(3000, 7)]))
    const many: Promise<ParsedFile> = parser.parseBytes(
      'many.pdf',
      makePdf(Array.from({ length: 2001 }, () => ({ lines: [] }))),
    )
    await expect(many).rejects.toMatchObject({ reason: 'too_large' })
  })
})
