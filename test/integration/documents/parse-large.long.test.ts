import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

describe('large files, in 512 MB', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser({ memoryBytes: 512 * 2 ** 20 })
  })
  afterAll(() => parser[Symbol.asyncDispose]())
  const read = async (text: string) => {
    const parsed = await parser.parseBytes('a.html', text)
    return { text: parsed.text, found: parsed.units.map(({ title, text: chunk }) => [title, chunk]) }
  }

  it('reads a page of 19 MB, like a short one', async () => {
    const start = `<title>Stores</title><style>.gone { display: none }</style><nav><a href=/a>MegaCorp</a></nav>
<p class=gone>GONE<p>Crates &amp; <b>boxes</b>.<ul><li>one<li>two</ul><h2>Care</h2><pre>
a
  b</pre><table><tr><td><h3>Frame</h3><td>left<table><tr><td>a<td>b</table></table><table><caption>Stock</caption><tr><th>part<th>price`
    const row = (i: number) => `<tr><td class=name>Crate number <a href="/crates/${i}">${i}</a><td>${i * 3} crowns\n`
    const rows = (count: number) => Array.from({ length: count }, (_, i) => row(i)).join('')
    const end = '</table><footer>MegaCorp</footer><h2>End</h2><p>The last words.'
    const few = await read(start + rows(50) + end)
    const many = await read(start + rows(270_000) + end)
    expect(start.length + rows(270_000).length).toBeGreaterThan(19_000_000)
    const linesOf = ({ text }: typeof few) =>
      (text ?? '').split('\n').filter((line) => !line.startsWith('Crate number'))
    expect(linesOf(many)).toEqual(linesOf(few))
    expect(many.text).toContain('Crate number 269999\t809997 crowns\n\nEnd')
    expect(many.found[0]).toEqual(few.found[0])
    expect(many.found.at(-1)).toEqual(few.found.at(-1))
    for (const [title, chunk] of many.found.filter(([, text]) => text?.includes('Crate number')))
      expect([title, chunk]).toEqual(['Stores > Care > Frame', expect.stringContaining('part\tprice\nCrate number')])
  })

  it('reads a table of 60 MB as text', async () => {
    const rows = Array.from(
      { length: 900_000 },
      (_, i) => `${i},Customer ${i},Łódź,"A note, with ""quotes"", of item ${i % 97}"`,
    )
    const content = Buffer.from(['id,name,city,note', ...rows].join('\n'))
    expect(content.length).toBeGreaterThan(60_000_000)
    const parsed = await parser.parseBytes('a.csv', content)
    expect(parsed.units.map(({ text }) => text?.slice(0, 18)).every((start) => start === 'id,name,city,note\n')).toBe(
      true,
    )
    expect(parsed.units.at(-1)?.text?.endsWith(rows.at(-1) ?? '')).toBe(true)
    checkLocators({ ...parsed, units: [...parsed.units.slice(0, 3), ...parsed.units.slice(-3)] }, content)
  })

  it.each([
    ['a.txt', '', 60_000_000],
    ['a.html', '<title>Log</title><p>', 19_000_000],
    ['a.csv', 'id,note\n1,', 20_000_000],
    ['a.json', '{"log":"', 30_000_000],
    ['a.rtf', '{\\rtf1 ', 40_000_000],
  ])('reads a line without an end in %s', async (name, start, length) => {
    const words = 'The crane waits for the ferry. '.repeat(length / 31)
    const { units } = await parser.parseBytes(name, start + words + (name === 'a.json' ? '"}' : ''))
    expect(units.length).toBeLessThanOrEqual(10_000)
    const read = units.map(({ text }) => text).join(' ')
    expect(read.match(/crane/g)).toHaveLength(words.length / 31)
  })

  it('reads a table of 200,000 rows and letters by their codes in RTF of 20 MB', async () => {
    const rows = Array.from(
      { length: 200_000 },
      (_, i) =>
        `\\trowd\\cellx900\\cellx1800\\intbl Vessel ${i}\\cell ${i * 3} crowns paid at the harbour office\\cell\\row`,
    )
    const letters = "\\u1082?\\'e0{\\b \\'ed} ".repeat(100_000)
    const start = String.raw`{\rtf1\ansicpg1251\trowd\trhdr\cellx900\cellx1800\intbl Name\cell Fee\cell\row`
    const { units } = await parser.parseBytes('a.rtf', `${start}${rows.join('')}\\pard ${letters}}`)
    const texts = units.map(({ text }) => text ?? '')
    const table = texts.filter((text) => text.includes('Vessel'))
    expect(table.every((text) => text.startsWith('Name\tFee\nVessel'))).toBe(true)
    expect(table.join('\n').match(/^Vessel \d+\t\d+ crowns/gm)).toHaveLength(200_000)
    expect(texts.join(' ').match(/кан/g)).toHaveLength(100_000)
  })

  it('reads an archive that unpacks to 240 MB', async () => {
    const member = 'A line of a file, and then another one.\n'.repeat(200_000)
    const names = Array.from({ length: 30 }, (_, i) => `d/${i}.txt`)
    const { attachments } = await parser.parseBytes(
      'a.zip',
      makeZip(Object.fromEntries(names.map((name) => [name, member]))),
    )
    expect(attachments.map(({ name }) => name)).toEqual(names)
    for (const { bytes } of attachments) expect(bytes.length).toBe(member.length)
  })
})
