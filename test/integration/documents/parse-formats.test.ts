import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

describe('parsing text formats', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())
  const read = async (name: string, text: string) => {
    const parsed = await parser.parseBytes(name, text)
    checkLocators(parsed, Buffer.from(text))
    return { ...parsed, texts: parsed.units.map((unit) => unit.text) }
  }

  it.each([',', ';', '\t', '|', '^'])('reads rows of a table with %j between cells', async (delimiter) => {
    const row = (i: number) => [i, `"one${delimiter} two\n""three"""`, 'x'.repeat(200)].join(delimiter)
    const rows = Array.from({ length: 20 }, (_, i) => row(i))
    const { units } = await read('a.csv', ['id,note,filler'.replaceAll(',', delimiter), ...rows, ''].join('\r\n'))
    expect(units.length).toBeGreaterThan(2)
    expect(units[0]?.locator).toMatchObject({ kind: 'line_range', start: 2 })
    expect(units.at(-1)?.locator).toMatchObject({ kind: 'line_range', end: 41 })
    for (const { text } of units) expect(text?.split(/\r?\n/)[0]).toBe(`id${delimiter}note${delimiter}filler`)
  })

  it('does not lose a table in a quote that is never closed', async () => {
    const { texts } = await read('a.csv', `a,b\n1,"open\n${'2,x\n'.repeat(30_000)}`)
    expect(texts.length).toBeGreaterThan(10)
  })

  it('merges cues to sentences of a speaker', async () => {
    const vtt = `WEBVTT

00:01.000 --> 00:02.500
<v Ann>The pump

00:02.500 --> 00:04.000 align:start
<v Ann>is <i>blue</i> &amp; new.

00:04.000 --> 00:05.000
<v Bob>No
`
    const { units, mime } = await read('a.vtt', vtt)
    expect(mime).toBe('text/vtt')
    expect(units.map(({ text, locator, metadata }) => [text, locator, metadata])).toEqual([
      ['The pump is blue & new.', { kind: 'time_range', tStartMs: 1000, tEndMs: 4000 }, { speaker: 'Ann' }],
      ['No', { kind: 'time_range', tStartMs: 4000, tEndMs: 5000 }, { speaker: 'Bob' }],
    ])
    const srt = '1\n00:00:01,000 --> 00:00:02,000\nOne\n\n2\n00:00:02,000 --> 01:00:03,000\nsentence.\n'
    expect((await read('a.txt', srt)).units).toMatchObject([
      { text: 'One sentence.', locator: { tStartMs: 1000, tEndMs: 3_603_000 }, modality: 'audio_utterance' },
    ])
    const segments = [
      { start: 0, end: 1.25, text: ' One', speaker: 'A' },
      { start: 1.25, end: 2, text: ' sentence.', speaker: 'A' },
    ]
    expect((await read('a.json', JSON.stringify({ text: 'One sentence.', segments }))).units).toMatchObject([
      { text: 'One sentence.', locator: { tStartMs: 0, tEndMs: 2000 }, metadata: { speaker: 'A' } },
    ])
  })

  it('finds the templates of a log', async () => {
    const lines = Array.from({ length: 50 }, (_, i) =>
      i % 10 === 3
        ? `2026-03-01T10:00:${String(i).padStart(2, '0')}Z ERROR disk sda${i} is full`
        : `2026-03-01T10:00:${String(i).padStart(2, '0')}Z INFO user u${i} logged in from 10.0.0.${i} port=${i}`,
    )
    for (const name of ['a.log', 'a.txt']) {
      const { units, textIsFile } = await read(name, lines.join('\n'))
      expect(textIsFile).toBe(true)
      expect(units).toEqual([
        {
          modality: 'log_template',
          text: 'INFO user <*> logged in from <*> port=<*>',
          title: null,
          locator: { kind: 'line_range', start: 1, end: 1 },
          metadata: {
            ...{ count: 45, example: lines[0] },
            ...{ first_time: '2026-03-01T10:00:00Z', last_time: '2026-03-01T10:00:49Z' },
          },
        },
        expect.objectContaining({
          text: 'ERROR disk <*> is full',
          locator: { kind: 'line_range', start: 4, end: 4 },
          metadata: expect.objectContaining({ count: 5, example: lines[3], last_time: '2026-03-01T10:00:43Z' }),
        }),
      ])
    }
  })

  it('cuts a program between declarations', async () => {
    const method = (name: string) => `  ${name}(): number {\n    // ${'why '.repeat(60)}\n    return 1\n  }\n`
    const names = Array.from({ length: 12 }, (_, i) => `method${i}`)
    const program = `import x from 'y'\n\n/** Adds. */\nexport function add(a, b) {\n  return a + b\n}\n
/** Holds. */\nexport class Holder {\n${names.map(method).join('\n')}}\n`
    const { units, mime } = await read('a.ts', program)
    expect(mime).toBe('text/typescript')
    expect(units.length).toBeGreaterThan(3)
    expect(units[0]?.text).toContain('export function add')
    const members = units.filter(({ title }) => title === 'export class Holder')
    expect(members.length).toBeGreaterThan(1)
    for (const { text } of members) expect(text?.split('\n')[0]).toMatch(/^ *method\d+\(\): number \{$/)
  })

  it('hands over Units as the lines of JSONL give them', async () => {
    const units = [
      { text: 'one' },
      { text: 'two', modality: 'caption', locator: { kind: 'char_span', start: 0, end: 1 } },
    ]
    const lines = units.map((unit) => JSON.stringify(unit)).join('\n\n')
    expect((await read('a.jsonl', lines)).units).toMatchObject([
      { modality: 'text', given: units[0] },
      { modality: 'caption', given: units[1] },
    ])
  })

  it.each(['a.jsonl', 'a.ndjson', 'a.ldjson', 'a.json'])('reads records in lines of JSON: %s', async (name) => {
    const records = [
      { id: 0, title: 'Tides', tags: ['sea', 'moon'], empty: null, none: [] },
      { id: 1, author: { name: 'Ann', address: { port: 'Alba' } }, größe: '30\u00a0m' },
      { id: 2, lines: [{ item: 'rope', count: 2 }, { item: 'buoy' }], done: false },
    ]
    const text = `${records.map((record) => JSON.stringify(record)).join('\r\n\r\n')}\n{"id": 3, "torn`
    const { units, textIsFile } = await parser.parseBytes(name, text)
    expect(textIsFile).toBe(true)
    expect(units).toMatchObject([
      {
        modality: 'chunk',
        locator: { kind: 'line_range', start: 1, end: 6 },
        text: `id: 0
title: Tides
tags: sea, moon

id: 1
author.name: Ann
author.address.port: Alba
größe: 30\u00a0m

id: 2
lines.item: rope
lines.count: 2
lines.item: buoy
done: false

{"id": 3, "torn`,
      },
    ])
  })

  it('leads each chunk of records to its lines', async () => {
    const line = (i: number) =>
      JSON.stringify({ id: i, body: `Body ${i}. ${'It is long. '.repeat(i % 7 === 0 ? 150 : 9)}` })
    const { units } = await parser.parseBytes('a.ndjson', Array.from({ length: 60 }, (_, i) => line(i)).join('\n\n'))
    const found = new Set<number>()
    for (const { text, locator } of units) {
      if (locator?.kind !== 'line_range') throw new Error('no lines')
      expect(text?.length).toBeLessThanOrEqual(800)
      const ids = [...(text ?? '').matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
      for (const id of ids) found.add(id)
      if (ids.length === 0) expect(locator.end).toBe(locator.start)
      else {
        // Records stand in each second line. A chunk may begin with the rest of a long one.
        const first = (ids[0] ?? 0) - (text?.startsWith('id: ') ? 0 : 1)
        expect([locator.start, locator.end]).toEqual([2 * first + 1, 2 * (ids.at(-1) ?? 0) + 1])
      }
    }
    expect(found.size).toBe(60)
  })

  it('reads records that are nested deeply, and refuses ones that would fill the memory', async () => {
    const depth = 5_000
    const deep = `{"a":${'{"a":'.repeat(depth)}"found"${'}'.repeat(depth)}}`
    const { units } = await parser.parseBytes('a.jsonl', deep)
    expect(units.at(-1)?.text).toContain('found')
    const wide = `{"${'k'.repeat(100_000)}":[${'{"a":1},'.repeat(10_000)}{"a":1}]}`
    await expect(parser.parseBytes('b.jsonl', wide)).rejects.toMatchObject({ reason: 'too_large' })
  })

  it('reads JSON as it is meant, and XML without its markup', async () => {
    const json = await read(
      'a.json',
      String.raw`{"größe": "Gr\u00f6\u00dfe \"30\"", "b": ["one\ntwo", "\ud83d\udea2"], "c": 1}`,
    )
    expect(json.texts).toEqual(['{"größe": "Größe "30"", "b": ["one\ntwo", "🚢"], "c": 1}'])
    expect(json.textIsFile).toBe(false)
    const xml = await read(
      'a.xml',
      `<?xml version="1.0"?><x:all xmlns:x="u"><book id="7"><x:title>Tides &amp; Winds</x:title><price unit="EUR">10</price></book>
<note>A <b>bold</b> word &#38; <![CDATA[1 < 2]]>.</note><!-- unseen --></x:all>`,
    )
    expect(xml.texts).toEqual(['id: 7\ntitle: Tides & Winds\nprice: 10\nunit: EUR\n\nA bold word & 1 < 2.'])
  })

  it.each([
    ['Report of dues\nGenerated 2024-01-01\n\n', ','],
    ['"Dues, and fees"\n', ';'],
  ])('finds the header of a table below other lines: %j', async (before, delimiter) => {
    const row = (...cells: unknown[]) => cells.join(delimiter)
    const rows = Array.from({ length: 60 }, (_, i) => row(`Port ${i}`, i * 10, 'EUR'.repeat(9)))
    const { texts, units } = await read('a.csv', `${before}${row('Port', 'Fee', 'Currency')}\n${rows.join('\n')}\n`)
    expect(texts[0]).toBe(before.trim())
    expect(units.length).toBeGreaterThan(3)
    for (const text of texts.slice(1)) expect(text?.split('\n')[0]).toBe(row('Port', 'Fee', 'Currency'))
  })

  it('cuts JSON, YAML and XML between their members', async () => {
    const member = (i: number) => ({ name: `member ${i}`, text: 'word '.repeat(60) })
    const list = Array.from({ length: 20 }, (_, i) => member(i))
    const json = await read('a.json', JSON.stringify(list))
    expect(json.texts.length).toBeGreaterThan(3)
    for (const text of json.texts.slice(1)) expect(text).toMatch(/^\{"name":"member \d+"/)
    const xml = await read(
      'a.xml',
      `<?xml version="1.0"?><all>${list.map((m) => `<m a="${m.name} >">${m.text}</m>`).join('')}</all>`,
    )
    for (const text of xml.texts) expect(text).toMatch(/^word [^<]*\na: member \d+ >$/)
    expect(xml.texts.join('')).not.toContain('<')
    const yaml = await read('a.yaml', list.map((m, i) => `entry${i}:\n  name: ${m.name}\n  text: ${m.text}\n`).join(''))
    for (const text of yaml.texts) expect(text).toMatch(/^entry\d+:/)
    await expect(read('b.yaml', 'a: 1\nb: [1, 2\n')).rejects.toMatchObject({ reason: 'malformed' })
  })

  it.each([
    ['a.json', '{"a": [1, 2}'],
    ['a.jsonl', '{"text": "one"}\n{"text": '],
    ['a.jsonl', '["text"]'],
    ['a.jsonl', '{"text": "one", "modality": "smell"}'],
    ['a.jsonl', 'words\n{"id": 1}'],
    ['a.json', '{"id": 1}\nwords'],
    ['a.xml', '<a><b></a></b>'],
    ['a.xml', '<a>'],
    ['a.xml', 'no element'],
    ['a.vtt', 'words'],
    ['a.srt', 'words'],
  ])('names a malformed %s: %s', async (name, text) => {
    await expect(parser.parseBytes(name, text)).rejects.toMatchObject({ reason: 'malformed' })
  })
})
