import { inflateSync } from 'node:zlib'
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

  const paragraph = (lines: readonly string[], y = 600) => lines.map((text, i) => ({ x: 60, y: y - i * 12, text }))

  it.each([
    ['We give more infor-', 'mation here.', 'more information here'],
    ['It is a well-', 'known fact.', 'a well-known fact'],
    ['methods of state-of-', 'the-art kind.', 'state-of-the-art kind'],
    ['written by M\u00fcller-', 'L\u00fcdenscheidt.', 'by M\u00fcller-L\u00fcdenscheidt'],
    ['IN ALL THE INFOR-', 'MATION HERE.', 'THE INFORMATION HERE'],
    ['see the pages 10-', '12 of it', 'pages 10-12 of it'],
    ['die Vor-', 'und Nachteile', 'Vor-\nund Nachteile'],
    ['der Hafen-', 'kran steht.', 'der Hafenkran steht'],
    // The document itself has the word, with its hyphen or without.
    ['the tide-', 'gauge', 'tide-gauge'],
    ['the back-', 'bone', 'backbone'],
  ])('decides what the hyphen at the end of a line is: %s %s', async (line, next, whole) => {
    const lines = paragraph([line, next, '', 'A tide-gauge is the backbone of a port.'])
    const { text } = await parser.parseBytes('hyphen.pdf', makePdf([{ lines }]))
    expect(text).toContain(whole)
  })

  it('leaves headers, footers and page numbers out of chunks', async () => {
    const pages = Array.from({ length: 12 }, (_, i) => ({
      lines: [
        { x: i % 2 ? 60 : 400, y: 770, text: i % 2 ? 'Port of Alba' : 'Handbook of Cranes' },
        ...paragraph([`Rule ${i * 7} holds on the quay.`, `Crane ${i * 3} has ${i} hooks.`], 760),
        { x: 300, y: 30, text: `Page ${i + 1} of 12` },
      ],
    }))
    const { text, units } = await parser.parseBytes('running.pdf', makePdf(pages))
    const chunks = units.map((unit) => unit.text).join('\n')
    expect(units).toHaveLength(12)
    expect(chunks.match(/Rule \d+ holds on the quay\.\nCrane \d+ has \d+ hooks/g)).toHaveLength(12)
    expect(chunks).not.toContain('Page')
    // The words of a header are found once.
    expect(chunks.match(/Handbook of Cranes/g)).toHaveLength(1)
    expect(text?.match(/Page \d+ of 12/g)).toHaveLength(12)
    expect(text?.match(/Handbook of Cranes/g)).toHaveLength(6)
  })

  it('reads what is filled in and written beside the text', async () => {
    const field = (rest: string) => `<< /Type /Annot /Subtype /Widget /Rect [160 590 300 604] ${rest} >>`
    const comment = (rest: string) => `<< /Type /Annot /Subtype /Text /Rect [500 300 520 320] ${rest} >>`
    const marks = [
      field('/FT /Tx /T (name) /V (Ann Lee)'),
      field('/FT /Tx /T (hidden) /V (unseen) /F 2'),
      field('/FT /Tx /T (secret) /V (pass word) /Ff 8192'),
      comment('/Contents (Check the depth.) /T (Bob)'),
      comment('/Contents (A note without an author.)'),
      comment('/Subtype /Link /Contents (where a link leads)'),
    ]
    const { text, units } = await parser.parseBytes('form.pdf', makePdf([{ lines: paragraph(['Captain:']), marks }]))
    expect(text?.trim()).toBe('Captain:\tAnn Lee\n\nBob: Check the depth.\n\nA note without an author.')
    expect(units[0]?.text).toContain('Captain:\tAnn Lee')
  })

  it('takes headings from the outline', async () => {
    const body = ['Some words of this part.', 'And some more of them.']
    const page = (heading: string) => ({ lines: [...paragraph([heading], 700), ...paragraph(body)] })
    const outline = [
      { title: 'Cranes', page: 0, depth: 0 },
      { title: '1.1 Hooks', page: 1, depth: 1 },
      { title: 'Not written on its page', page: 2, depth: 1 },
      { title: 'Ferries', page: 3, depth: 0 },
    ]
    const pages = ['CRANES', '1.1 Hooks', 'Ropes', 'Ferries'].map(page)
    const { units } = await parser.parseBytes('outline.pdf', makePdf(pages, [], outline))
    expect(units.map(({ title }) => title)).toEqual([
      'Cranes',
      'Cranes > 1.1 Hooks',
      'Cranes > Not written on its page',
      'Ferries',
    ])
  })

  it('takes a page whose letters say nothing for a picture', async () => {
    const said =
      'The harbour office sends this note to every captain of the northern fleet on each morning of the week.'
    // As where the codes of glyphs are taken for those of letters.
    const coded = [...said].map((letter) => (letter === ' ' ? ' ' : String.fromCharCode(letter.charCodeAt(0) - 29)))
    const page = (text: string) => ({ lines: paragraph([text, text, text, text]) })
    const { units } = await parser.parseBytes('letters.pdf', makePdf([page(said), page(coded.join(''))]))
    expect(units.map(({ modality, media, metadata }) => [modality, media, metadata.page])).toEqual([
      ['chunk', undefined, 1],
      ['doc_page', 'page', 2],
    ])
  })

  it('repeats the first row of a long table in each chunk', async () => {
    const row = (i: number) =>
      [`Vessel ${i}`, `Captain ${i}`, `Berth ${i * 3}`].map((text, k) => ({ x: 60 + k * 180, y: 700 - i * 12, text }))
    const header = ['Vessel', 'Captain', 'Berth'].map((text, k) => ({ x: 60 + k * 180, y: 700, text }))
    const rows = Array.from({ length: 50 }, (_, i) => row(i + 1)).flat()
    const { text, units } = await parser.parseBytes('fleet.pdf', makePdf([{ lines: [...header, ...rows] }]))
    expect(units.length).toBeGreaterThan(1)
    for (const { text: chunk } of units) {
      const [first, ...rest] = chunk?.split('\n') ?? []
      expect(first).toBe('Vessel\tCaptain\tBerth')
      expect(text).toContain(rest.join('\n'))
    }
  })

  it('keeps the rows of a table with words in two columns', async () => {
    const names = [
      'The northern ferry',
      'Harbour of Alba',
      'Lift of the crane',
      'Keeper of a light',
      'Depth of the quay',
    ]
    const lines = names.flatMap((name, i) => [
      { x: 60, y: 700 - i * 20, text: `${name} ${i}` },
      { x: 330, y: 700 - i * 20, text: `Closed on day ${i} of May` },
    ])
    const { text } = await parser.parseBytes('words.pdf', makePdf([{ lines }]))
    for (const [i, name] of names.entries()) expect(text).toContain(`${name} ${i}\tClosed on day ${i} of May`)
  })

  it('puts the pictures of a page together: strips, and masks over colours', async () => {
    const strip = (y: number, shade: string) =>
      `q 600 0 0 100 0 ${y} cm BI /W 80 /H 80 /CS /G /BPC 8 /F /AHx ID ${shade.repeat(6400)}> EI Q`
    // Each second column of a mask is painted.
    const mask = `q 300 0 0 100 0 300 cm BI /W 80 /H 80 /IM true /BPC 1 /F /AHx ID ${'aa'.repeat(800)}> EI Q`
    const drawing = [strip(300, 'ff'), strip(200, '40'), mask].join('\n')
    const [picture] = await parser.pagePictureBytes('scan.pdf', makePdf([{ lines: [], drawing }]), [1])
    expect(picture?.box).toEqual({ x: 0, y: 0.5, w: 1, h: 0.25 })
    const { width, height, at } = readGray(picture?.bytes ?? new Uint8Array())
    expect(width / height).toBeCloseTo(3, 1)
    expect([at(0.75, 0.25), at(0.75, 0.75), at(0.25, 0.75)]).toEqual([255, 64, 64])
    const painted = Array.from({ length: 40 }, (_, i) => at(0.2 + i / 400, 0.25))
    expect(Math.min(...painted)).toBeLessThan(64)
    expect(Math.max(...painted)).toBeGreaterThan(190)
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

/** A gray PNG of rows without filters; `at` takes fractions of its size. */
function readGray(png: Uint8Array) {
  const bytes = Buffer.from(png)
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const start = bytes.indexOf('IDAT')
  const rows = inflateSync(bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start - 4)))
  const at = (x: number, y: number) => rows[Math.floor(y * height) * (width + 1) + 1 + Math.floor(x * width)]
  return { width, height, at: (x: number, y: number) => at(x, y) ?? -1 }
}
