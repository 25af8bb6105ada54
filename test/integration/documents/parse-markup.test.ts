import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

const markdown = `---
title: Notes
---
Before all.

# *Pumps* and [valves](x.html)

A pump moves water.

| part | price |
|------|-------|
| seal | 3     |

## Care ##

\`\`\`sh
# not a heading
oil pump
\`\`\`

Old style
---------

Once a year.
`

const page = `<!doctype html><title>Shop</title><style>p { color: red }</style>
<h1>Pumps &amp; valves</h1><p>A pump
moves <b>water</b>.<br>It is blue.<ul><li>one<li>two</ul>
<h2>Prices</h2><table><tr><th>part<th>price<tr><td>seal<td>3</table><pre>
a
  b</pre><script>evil()</script><p hidden>unseen<p><img alt="a red pump" src=x.png>`

describe('parsing markup', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())
  const read = async (name: string, text: string) => {
    const parsed = await parser.parseBytes(name, text)
    return { ...parsed, found: parsed.units.map(({ title, text: chunk }) => [title, chunk]) }
  }

  const vessels = Array.from({ length: 90 }, (_, i) => `Vessel ${i}`)
  const line = (...cells: string[]) => cells.map((cell) => cell.padEnd(12)).join('  ')
  const [border, rule] = [`${'='.repeat(12)}  ${'='.repeat(12)}`, `+${'-'.repeat(12)}+`]
  const longTables: [name: string, content: string][] = [
    [
      'simple.rst',
      [border, line('Name', 'Captain'), border, ...vessels.map((v) => line(v, 'Ann')), border, '', 'End'].join('\n'),
    ],
    [
      'grid.rst',
      [
        rule,
        '|Captain     |',
        rule.replaceAll('-', '='),
        ...vessels.flatMap((v) => [`|${v.padEnd(12)}|`, rule]),
        '',
        'End',
      ].join('\n'),
    ],
    [
      'a.ipynb',
      JSON.stringify({
        cells: [
          {
            cell_type: 'markdown',
            source: ['Name | Captain\n', '---|---\n', ...vessels.map((v) => `${v} | Ann of the harbour\n`), '\nEnd'],
          },
        ],
      }),
    ],
  ]

  it.each(longTables)('repeats the header of a long table: %s', async (name, content) => {
    const parsed = await parser.parseBytes(name, content)
    const rows = parsed.units.filter(({ text }) => text?.includes('Vessel'))
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.filter(({ text }) => !text?.includes('Captain'))).toEqual([])
    expect(parsed.units.at(-1)?.text).toContain('End')
    checkLocators(parsed, Buffer.from(content))
  })

  it('reads Markdown by its headings', async () => {
    const { found, mime, textIsFile } = await read('a.md', markdown)
    expect({ mime, textIsFile }).toEqual({ mime: 'text/markdown', textIsFile: true })
    expect(found).toEqual([
      [null, '---\ntitle: Notes\n---\nBefore all.'],
      ['Pumps and valves', 'A pump moves water.\n\n| part | price |\n|------|-------|\n| seal | 3     |'],
      ['Pumps and valves > Care', '```sh\n# not a heading\noil pump\n```'],
      ['Pumps and valves > Old style', 'Once a year.'],
    ])
  })

  it('reads reStructuredText by its headings', async () => {
    const { found } = await read('a.rst', '=====\nPumps\n=====\n\nWater.\n\nCare\n----\nOil\nit.\n\nTop\n----\n\nEnd.')
    expect(found).toEqual([
      ['Pumps', 'Water.'],
      ['Pumps > Care', 'Oil\nit.'],
      ['Pumps > Top', 'End.'],
    ])
  })

  it('reads the visible text of a page', async () => {
    for (const name of ['a.html', 'a.unknown']) {
      const { found, text, mime, units } = await read(name, page)
      expect(mime).toBe('text/html')
      expect(text).not.toMatch(/evil|color|unseen/)
      expect(found).toEqual([
        ['Pumps & valves', 'A pump moves water.\nIt is blue.\n- one\n- two'],
        ['Pumps & valves > Prices', 'part\tprice\nseal\t3\n\na\n  b\n\na red pump'],
      ])
      for (const { locator, text: chunk } of units) {
        expect(locator?.kind === 'char_span' && text?.slice(locator.start, locator.end)).toBe(chunk)
      }
    }
  })

  it.each([
    [
      'a.md',
      (rows: string[][]) => ['| Ship | Port |', '|--|--|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'),
    ],
    [
      'a.html',
      (rows: string[][]) =>
        `<table><tr><th rowspan=2>Ship<th colspan=2>Port<tr><th>Name<th>Dock${rows.map((row) => `<tr><td>${row.join('<td>')}`).join('')}</table>`,
    ],
  ])('%s: the header of a table stands in each of its chunks', async (name, table) => {
    const rows = Array.from({ length: 200 }, (_, i) => [`Vessel ${i}`, `Harbour ${i}`, `${i}`])
    const content = table(rows)
    const parsed = await parser.parseBytes(name, content)
    expect(parsed.units.length).toBeGreaterThan(3)
    for (const { text } of parsed.units)
      expect(text).toMatch(/^(Ship\tPort\tPort\nShip\tName\tDock\nV|\| Ship \| Port \|\n\|--\|--\|\n\|)/)
    checkLocators(parsed, Buffer.from(content))
  })

  const body = `<h1>Rules</h1><p>Cranes lift 20 tonnes.</p><p>${'They stand on the quay all year. '.repeat(20)}</p>`
  const link = '<li><a href=/a>Careers at MegaCorp</a>'
  it.each([
    ['main', `<nav><ul>${link}</ul></nav><header>MegaCorp</header><main>${body}</main><aside>MegaCorp letter</aside>`],
    ['names', `<div class="site-nav">${link.repeat(9)}</div>${body}<div id=cookie>MegaCorp bakes cookies</div>`],
    ['roles', `<div role=banner>MegaCorp</div><div>${body}</div><section role=contentinfo>MegaCorp</section>`],
    ['the article', `<footer>MegaCorp</footer><div><ul>${link.repeat(30)}</ul></div><div>${body}</div>`],
  ])('leaves out what stands around the text, by %s', async (_, source) => {
    const { text } = await read('a.html', `<title>Rules</title><body>${source}`)
    expect(text).toContain('Cranes lift 20 tonnes.')
    expect(text).not.toContain('MegaCorp')
  })

  it('reads a page that is all navigation', async () => {
    const { text } = await read('a.html', `<body><nav><ul>${link.repeat(9)}</ul></nav><footer>Imprint</footer>`)
    expect(text).toMatch(/Careers at MegaCorp[\s\S]*Imprint/)
  })

  it('leaves out what is not shown', async () => {
    const source = `<style>.gone, p.x { display: none } #away{visibility:hidden} @media print { .seen { display: none } }</style>
<p class="a gone">GONE<p id=away>AWAY<h2 style="display: none">HEAD</h2><table><tr><td>cell<td hidden>CELL</table>
<p class=seen>It is seen: <math><mi>x</mi><mo>=</mo><mn>42</mn></math>`
    const { text } = await read('a.html', source)
    expect(text).not.toMatch(/GONE|AWAY|HEAD|CELL/)
    expect(text).toMatch(/cell[\s\S]*It is seen: x=42/)
  })

  it('keeps headings without text', async () => {
    expect((await read('a.md', '# One\n# Two\ntext\n## Three')).found).toEqual([
      ['One', '# One'],
      ['Two', 'text'],
      ['Two > Three', '## Three'],
    ])
  })
})
