import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { makeDocx, makePptx, relations } from '../../support/documents/make-office.ts'
import { makeDoc95 } from '../../support/documents/make-old-office.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

const page = `<main><h1>Start</h1><ol><li>Open valve</li><li><p>Start the pump</p><ol type="a"><li>check oil</li></ol></li>
<li value="7">Close valve</li></ol><ol start="4" style="list-style-type: upper-roman"><li>Fourth item</li></ol><ul><li>Dot</li></ul>
<table><tr><td>Steps<td><ol><li>lift<li>lower</ol></table></main>`

const levels = `<w:numbering><w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Article %1"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:pStyle w:val="Clause"/><w:isLgl/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
const styles = `<w:styles><w:style w:styleId="Article"><w:name w:val="Article"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="Article"/></w:style></w:styles>`
const paragraph = (text: string, style: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
const contract = makeDocx(
  paragraph('Parties', 'Article') +
    paragraph('Owner', 'Clause') +
    paragraph('Fees', 'Article') +
    paragraph('Due', 'Clause'),
  {
    'word/numbering.xml': levels,
    'word/styles.xml': styles,
    'word/_rels/document.xml.rels': relations({ n: ['numbering', 'numbering.xml'], s: ['styles', 'styles.xml'] }),
  },
)

const plan = makeDocx(paragraph('Open', 'Step') + paragraph('Close', 'Step'), {
  'word/numbering.xml': `<w:numbering><w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="Steps"/></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="Steps"/><w:lvl w:ilvl="0"><w:numFmt w:val="ordinal"/><w:lvlText w:val="%1:"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
  'word/styles.xml': styles.replaceAll('Article', 'Step'),
  'word/_rels/document.xml.rels': relations({ n: ['numbering', 'numbering.xml'], s: ['styles', 'styles.xml'] }),
})

/** A list for each format, with two paragraphs in it. */
const formats = [
  'chineseCounting',
  'russianUpper',
  'hebrew1',
  'decimalEnclosedCircle',
  'numberInDash',
  'chicago',
  'hex',
  'cardinalText',
]
const signs = makeDocx(
  formats
    .flatMap((_, i) =>
      [0, 1].map(
        (n) =>
          `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${i}1"/></w:numPr></w:pPr><w:r><w:t>${n}</w:t></w:r></w:p>`,
      ),
    )
    .join(''),
  {
    'word/numbering.xml': `<w:numbering>${formats
      .map(
        (format, i) =>
          `<w:abstractNum w:abstractNumId="${i}"><w:lvl w:ilvl="0"><w:start w:val="11"/><w:numFmt w:val="${format}"/><w:lvlText w:val="%1:"/></w:lvl></w:abstractNum><w:num w:numId="${i}1"><w:abstractNumId w:val="${i}"/></w:num>`,
      )
      .join('')}</w:numbering>`,
    'word/_rels/document.xml.rels': relations({ n: ['numbering', 'numbering.xml'] }),
  },
)

/** How a paragraph of Word 95 is numbered: the format, what stands before and after the number, the level. */
const numbering = (format: number, before: string, after: string, level: number, flags = 0) => [
  ...[13, level, 12, 52, format, before.length, after.length, flags, 0, 0, 0, 0, 0, 0, 3, 0],
  ...[...`\0\0\0\0\0\0\0\0${before}${after}`.padEnd(40, '\0')].map((character) => character.charCodeAt(0)),
]
const steps: [text: string, changes: number[]][] = [
  ['Open', numbering(2, '(', ')', 1)],
  ['oil', numbering(4, '', '.', 2, 4)],
  ['Skipped', [13, 12]],
  ['Start', numbering(2, '(', ')', 1)],
  ['Plain', []],
  ['Again', numbering(2, '(', ')', 1)],
  ['Dot', numbering(255, '\xb7', '', 11)],
]
const stepsText = steps.map(([text]) => `${text}\r`)
const letter95 = makeDoc95(
  Buffer.from(stepsText.join('')),
  steps.map(([, changes], i) => [stepsText.slice(0, i + 1).join('').length, changes]),
)

const point = (text: string, type: string, more = '') =>
  `<a:p><a:pPr ${more}><a:buAutoNum type="${type}"/></a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`
const slide = `<p:sp><p:txBody>${[
  point('Open valve', 'arabicPeriod'),
  point('check oil', 'alphaLcParenR', 'lvl="1"'),
  point('Start the pump', 'arabicPeriod'),
  point('Second', 'romanUcParenBoth').replace('/></a:pPr>', ' startAt="2"/></a:pPr>'),
].join('')}</p:txBody></p:sp>`

const item = (text: string) => `<text:list-item><text:p>${text}</text:p></text:list-item>`
const list = (items: string, more = '') => `<text:list text:style-name="L" ${more}>${items}</text:list>`
const letter = makeZip({
  mimetype: 'application/vnd.oasis.opendocument.text',
  'styles.xml':
    '<s><text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format=""/></text:outline-style></s>',
  'content.xml': `<office:document-content><office:automatic-styles><text:list-style style:name="L">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="i" style:num-suffix=")" text:display-levels="2"/></text:list-style></office:automatic-styles>
<office:body><office:text><text:h text:outline-level="1">Pumps</text:h><text:h text:outline-level="2">Steps</text:h>${[
    list(
      `${item('Open')}<text:list-item><text:p>Start</text:p><text:list>${item('oil')}${item('water')}</text:list></text:list-item>`,
      'xml:id="a"',
    ),
    list(`<text:list-item><text:list>${item('air')}</text:list></text:list-item>`, 'text:continue-numbering="true"'),
    list(item('Fresh')),
    list(item('Stop'), 'text:continue-list="a"'),
  ].join('')}</office:text></office:body></office:document-content>`,
})

const rtf = String.raw`{\rtf1{\pard{\listtext 1.\tab}Open valve\par}{\pard{\pntext\f0 2.\tab}Start the pump\par}{\pard{\listtext\'b7\tab}Dot\par}}`

const lists: [name: string, content: string | Uint8Array, lines: string[]][] = [
  [
    'page.html',
    page,
    [
      ...['Start', '1. Open valve', '2. Start the pump', 'a. check oil', '7. Close valve', 'IV. Fourth item', '- Dot'],
      'Steps\t1. lift 2. lower',
    ],
  ],
  ['contract.docx', contract, ['Article I Parties', '1.1 Owner', 'Article II Fees', '2.1 Due']],
  ['plan.docx', plan, ['1st: Open', '2nd: Close']],
  [
    'signs.docx',
    signs,
    [
      ...[
        '十一: 0',
        '十二: 1',
        'Л: 0',
        'М: 1',
        'יא: 0',
        'יב: 1',
        '⑪: 0',
        '⑫: 1',
        '- 11 -: 0',
        '- 12 -: 1',
        '‡‡‡: 0',
        '§§§: 1',
      ],
      // Words of a language are numbers.
      ...['B: 0', 'C: 1', '11: 0', '12: 1'],
    ],
  ],
  ['letter.doc', letter95, ['(iii) Open', '(iii)c. oil', 'Skipped', '(iv) Start', 'Plain', '(iii) Again', '- Dot']],
  ['slides.pptx', makePptx([slide]), ['1. Open valve', 'a) check oil', '2. Start the pump', '(II) Second']],
  [
    'letter.odt',
    letter,
    ['1. Pumps', 'Steps', '1. Open', '2. Start', '2.i) oil', '2.ii) water', '2.iii) air', '1. Fresh', '3. Stop'],
  ],
  [
    'paper.tex',
    String.raw`\begin{enumerate}\item Open\begin{enumerate}\item oil\item water\end{enumerate}\item[Last] Stop\end{enumerate}\begin{itemize}\item Dot\end{itemize}`,
    ['1. Open', '(a) oil', '(b) water', 'Last Stop', '- Dot'],
  ],
  [
    'guide.adoc',
    '. Open\n. Start\n.. oil\n\n. Stop\n\nText\n\n[start=4]\n. Fourth\n* Dot\n',
    ['1. Open', '2. Start', 'a. oil', '3. Stop', 'Text', '4. Fourth', '- Dot'],
  ],
  ['letter.rtf', rtf, ['1. Open valve', '2. Start the pump', '- Dot']],
]

describe('numbers of lists', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it.each(lists)('stand before the items: %s', async (name, content, lines) => {
    const parsed = await parser.parseBytes(name, content)
    expect(parsed.text?.split(/\n+/)).toEqual(lines)
    checkLocators(parsed, Buffer.from(content as Uint8Array))
  })
})
