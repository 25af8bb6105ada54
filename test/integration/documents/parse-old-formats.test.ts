import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shortOrLong } from '../../support/amounts.ts'
import { checkLocators } from '../../support/documents/check-locators.ts'
import {
  makeBlips,
  makeBook,
  makeDoc,
  makeDoc95,
  makeEditedPpt,
  makeGraph,
  makePpt,
  nativeObject,
  withChart,
  withShapes,
} from '../../support/documents/make-old-office.ts'
import { makePng } from '../../support/documents/make-png.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

const fees = [
  ['Port', 'Fee', 'Day'],
  ['Alba', 0.155, 45352],
]

/** Not packed, the type stands in the first bytes. */
const odf = (kind: string, body: string, more: Record<string, string | Uint8Array> = {}) =>
  makeZip(
    {
      mimetype: `application/vnd.oasis.opendocument.${kind}`,
      'content.xml': `<office:document-content>${body}</office:document-content>`,
      ...more,
    },
    { stored: 'mimetype' },
  )

const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}{\stylesheet{\s1 heading 1;}{\s0 Normal;}}
\pard\s1 Fees\par\pard\s0 Gr\'f6\'dfe \f1\'c0\f0  \u8364?{\v hidden}{\footnote A note.} end.\par
\trowd\cellx100\cellx200\intbl Port\cell Fee\cell\row\trowd\clvmgf\cellx100\cellx200\intbl Alba\cell 10\cell\row
\trowd\clvmrg\cellx100\cellx200\intbl\cell 20\cell\row\pard{\*\unknown x}{\field{\*\fldinst HYPERLINK "u"}{\fldrslt link}}\par}`

const text =
  '<office:automatic-styles><text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-suffix=")" style:num-format="a"/></text:list-style>' +
  '<style:style style:name="H"><style:text-properties text:display="none"/></style:style></office:automatic-styles><office:body><office:text>' +
  '<text:h text:outline-level="1">Fees</text:h><text:p>Read <text:span text:style-name="H">hidden</text:span>this<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note</text:p></text:note-body></text:note>.</text:p>' +
  '<text:list text:style-name="L"><text:list-item><text:p>One</text:p></text:list-item><text:list-item><text:p>Two</text:p></text:list-item></text:list>' +
  '<table:table><table:table-row><table:table-cell><text:p>Port</text:p></table:table-cell><table:table-cell><text:p>Fee</text:p></table:table-cell></table:table-row>' +
  '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Alba</text:p></table:table-cell><table:table-cell><text:p>10</text:p></table:table-cell></table:table-row>' +
  '<table:table-row><table:covered-table-cell/><table:table-cell><text:p>20</text:p></table:table-cell></table:table-row></table:table></office:text></office:body>'

const cards =
  'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Lee\r\nADR;TYPE=home:;;Quay 1;Alba\r\n ;;1234;\r\nNOTE:a\\, b\r\nEND:VCARD\r\n' +
  'BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrg=\r\n;Bo\r\nEND:VCARD\r\n'

const event =
  'BEGIN:VCALENDAR\nX-WR-CALNAME:Dock\nBEGIN:VEVENT\nDTSTART;TZID=Europe/Oslo:20240301T090000\nSUMMARY:Dry dock\nATTENDEE;CN=Bo:mailto:bo@example.com\n' +
  'BEGIN:VALARM\nDESCRIPTION:beep\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n'

const tex = String.raw`\documentclass{article}\usepackage[a]{b}\title{Port \emph{fees}}\newcommand{\x}{junk}
\begin{document}\maketitle % a comment
\section[short]{Fees \& dues}\label{s}Gr\"o{\ss}e \'{e} of~\textbf{100\,t}, see \href{http://u}{here}\footnote{A note.}.

\begin{itemize}\item One\item Two $a_1$\end{itemize}
\subsection{Table}\begin{tabular}{l|r}\hline Port & Fee\\ Alba & 10\%\\\hline\end{tabular}
\begin{verbatim}
 \x{1} % kept
\end{verbatim}
\end{document} after`

const org = `#+TITLE: Port
#+OPTIONS: toc:nil
* TODO [#A] Fees :dock:
:PROPERTIES:
:ID: 7
:END:
SCHEDULED: <2024-01-01>
Read *this* and [[http://u][here]][fn:1], a/b/c.
# comment
#+BEGIN_SRC sh
* kept *so*
#+END_SRC
** Table
| Port | /Fee/ |
|------+-----|
| Alba | 10 |
* COMMENT Draft
hidden
** More
hidden
* End
- [X] done
`

const adoc = `= Port
:unit: tonnes
:toc:

// comment
[[a]]
== *Fees*
Read _this_, link:u[here] and <<b,there>> in {unit}.footnote:[A note.]

.Example
[source,sh]
----
* kept *so*
----
=== Table
[cols="1,1"]
|===
|Port |Fee

|Alba
|10
2+|none
|===
////
hidden
////
* One
image::x.png[A quay,200]
`

/** A heading, a numbered list, a table with a note and a merged cell, and a field. */
const docLines = [
  ...['Fees\r', 'Pay no\x02w\r', 'Pay late\r', 'Port\x07', 'Fee\x07', '\x07', 'Alba\x07', '10\x07', '\x07'],
  ...['\x07', '20\x07', '\x07', 'See \x13HYPERLINK "u"\x14here\x15 nextday\r', '\x02 A note\r'],
]
const docText = docLines.join('')
const [inTable, rowEnd, listItem] = [
  [0x16, 0x24, 1],
  [0x16, 0x24, 1, 0x17, 0x24, 1],
  [0x0b, 0x46, 1, 0],
]
// Of two cells, the first continues the one above.
const merging = [
  ...rowEnd,
  0x08,
  0xd6,
  48,
  0,
  2,
  ...Array.from({ length: 6 }, () => 0),
  0x20,
  ...Array.from({ length: 39 }, () => 0),
]
const docChanges = [
  [],
  listItem,
  listItem,
  inTable,
  inTable,
  rowEnd,
  inTable,
  inTable,
  rowEnd,
  inTable,
  inTable,
  merging,
  [],
  [],
]
const formattedDoc = makeDoc(
  docText,
  {},
  {
    paragraphs: docLines.map((_, i) => [docLines.slice(0, i + 1).join('').length, i === 0 ? 1 : 0, docChanges[i]]),
    hidden: [[docText.indexOf('day'), docText.indexOf('day') + 3]],
    note: { at: docText.indexOf('\x02'), length: docLines.at(-1)?.length ?? 0 },
    list: '\0)',
  },
)

const read: [
  name: string,
  content: string | Uint8Array,
  text: string,
  titles: (string | null)[],
  attachments?: string[],
][] = [
  [
    'a.doc',
    makeDoc('Fees\rGr\xf6\xdfe\r', {
      '/ObjectPool/_1/\u0001Ole10Native': nativeObject('plan.txt', 'Plan'),
    }),
    'Fees\n\nGröße',
    [null],
    ['plan.txt'],
  ],
  [
    'formatted.doc',
    formattedDoc,
    'Fees\n\nc) Pay now\n[1] A note\n\nd) Pay late\n\nPort\tFee\nAlba\t10\nAlba\t20\n\nSee here next',
    ['Fees'],
  ],
  [
    '95.doc',
    makeDoc95(Buffer.from('cfe0f0eeec20eef2f5eee4e8f220ede020f0e0f1f1e2e5f2e52e0dc2f1e520ebfee4e80d', 'hex')),
    'Паром отходит на рассвете.\n\nВсе люди',
    [null],
  ],
  [
    'a.xls',
    withShapes(makeBook(fees, 'biff8', { B2: '0.0%', C2: 'm/d/yy' }), 'Closed\rin May', 'Said by Żółć'),
    'Port\tFee\tDay\nAlba\t15.5%\t2024-03-01\nClosed\nin May\nSaid by Żółć\n',
    ['Fees'],
  ],
  [
    'chart.xls',
    withChart(
      makeBook(fees, 'biff8'),
      'Fees by port',
      'Fee',
      [
        ['Alba', 0.1 + 0.2],
        ['Brun', 7],
      ],
      '&LHarbour && quay&C&"Arial,Bold"&12Page &P of &N&R&D',
    ),
    'Port\tFee\tDay\nAlba\t0.155\t45352\nHarbour & quay\nFees by port\n\t\tFee\nAlba\t\t0.3\nBrun\t\t7\n',
    ['Fees'],
  ],
  [
    'graph.xls',
    makeGraph(
      [
        ['', 'May'],
        ['Alba', 10.5],
      ],
      'Fees by port',
    ),
    'Fees by port\n\n\tMay\nAlba\t10.5',
    [null],
  ],
  [
    'footer.ppt',
    makePpt([{ title: 'First', text: 'Body' }], { master: 'Harbour office', footer: 'Draft of May' }),
    'First\n\nBody\n\nHarbour office\nDraft of May',
    ['First', null],
  ],
  [
    'footer.ods',
    odf(
      'spreadsheet',
      '<office:automatic-styles><style:style style:name="a" style:master-page-name="P"/></office:automatic-styles><office:body><office:spreadsheet>' +
        '<table:table table:name="S" table:style-name="a"><table:table-row><table:table-cell><text:p>One</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>',
      {
        'styles.xml':
          '<office:document-styles><office:master-styles><style:master-page style:name="P"><style:header><text:p>Fees<text:s/>of May</text:p></style:header>' +
          '<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer><style:footer-left style:display="false"><text:p>Never</text:p></style:footer-left></style:master-page></office:master-styles></office:document-styles>',
      },
    ),
    'One\nFees of May\n',
    ['S'],
  ],
  [
    'a.xlsb',
    makeBook(fees, 'xlsb', { B2: '0.0%', C2: 'yyyy\\-mm' }),
    'Port\tFee\tDay\nAlba\t15.5%\t2024-03\n',
    ['Fees'],
  ],
  ['a.ods', makeBook(fees, 'ods'), 'Port\tFee\tDay\nAlba\t0.155\t45352\n', ['Fees']],
  [
    'a.ppt',
    makePpt([
      { title: 'First', text: 'Body one', comment: 'Too long', object: nativeObject('plan.txt', 'Plan') },
      { title: '', text: 'Body two' },
    ]),
    'First\n\nBody one\n\nToo long\n\nBody two',
    ['First', null],
    ['plan.txt'],
  ],
  [
    'edited.ppt',
    makeEditedPpt(
      [
        [{ slide: 'Old words', note: 'Old note' }],
        [
          { slide: 'First', note: 'Say first' },
          { slide: '!Second', note: 'Say second' },
        ],
      ],
      'Harbour office',
    ),
    'First\n\nSay first\n\n!Second\n\nSay second\n\nHarbour office',
    [null],
  ],
  [
    'nomime.ods',
    makeZip({
      'META-INF/manifest.xml': '<m><e full-path="/" media-type="application/vnd.oasis.opendocument.spreadsheet"/></m>',
      'content.xml':
        '<d><office:body><table:table table:name="S"><table:table-row><table:table-cell><text:p>One</text:p></table:table-cell></table:table-row></table:table></office:body></d>',
    }),
    'One\n',
    ['S'],
  ],
  [
    'form.ods',
    odf(
      'spreadsheet',
      '<office:body><table:table table:name="S"><table:table-row><table:table-cell table:number-columns-spanned="3"><text:p>Form</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>No</text:p></table:table-cell></table:table-row>' +
        '<table:table-row><table:table-cell><text:p>Alba</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>7</text:p></table:table-cell></table:table-row></table:table></office:body>',
    ),
    'Form\tNo\nAlba\t7\n',
    ['S'],
  ],
  [
    'flat.fods',
    '<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:styles><style:style style:name="x"/></office:styles>' +
      '<office:body><table:table table:name="S"><table:table-row><table:table-cell><text:p>One</text:p></table:table-cell></table:table-row></table:table></office:body></office:document>',
    'One\n',
    ['S'],
  ],
  ['zero.rtf', `${rtf}\0`, 'Fees\n\nGröße А € end.\n[1] A note.\n\nPort\tFee\nAlba\t10\nAlba\t20\n\nlink', ['Fees']],
  ['a.rtf', rtf, 'Fees\n\nGröße А € end.\n[1] A note.\n\nPort\tFee\nAlba\t10\nAlba\t20\n\nlink', ['Fees']],
  ['part.rtf', '{\\pard \\f0 Part\\par}', 'Part', [null]],
  // The title of a file's properties is read where the text does not have it.
  ['titled.rtf', '{\\rtf1{\\info{\\title Fees of May}{\\author Ann}}Body\\par}', 'Body\n\nFees of May', [null]],
  [
    'titled.ppt',
    makePpt([{ title: 'First', text: 'Body' }], undefined, 'Größe'),
    'First\n\nBody\n\nGröße',
    ['First', null],
  ],
  [
    'untitled.ppt',
    makePpt([{ title: 'First', text: 'Body' }], undefined, 'PowerPoint-Präsentation'),
    'First\n\nBody',
    ['First'],
  ],
  [
    'titled.xls',
    makeBook(fees, 'biff8', {}, 'Fees of May'),
    'Port\tFee\tDay\nAlba\t0.155\t45352\nFees of May\n',
    ['Fees', null],
  ],
  [
    'titled.fodt',
    '<office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><dc:title>Fees</dc:title></office:meta>' +
      '<office:body><office:text><text:p>Alba</text:p></office:text></office:body></office:document>',
    'Alba\n\nFees',
    [null],
  ],
  [
    'a.odt',
    odf('text', text),
    'Fees\n\nRead this.\n[1] A note\n\na) One\n\nb) Two\n\nPort\tFee\nAlba\t10\nAlba\t20',
    ['Fees'],
  ],
  [
    'hidden.odt',
    odf(
      'text',
      '<office:body><office:text><text:section text:display="none"><text:p>Unseen</text:p></text:section><text:p>Seen</text:p></office:text></office:body>',
    ),
    'Seen',
    [null],
  ],
  [
    // A program may write values without what a cell shows.
    'raw.ods',
    odf(
      'spreadsheet',
      `<office:body><table:table table:name="S">${[
        'office:value-type="date" office:date-value="2024-03-01"',
        'office:value-type="percentage" office:value="0.07"',
        'office:value-type="boolean" office:boolean-value="true"',
        'office:value-type="time" office:time-value="PT36H05M00S"',
        'office:value-type="currency" office:currency="EUR" office:value="12.5"',
      ]
        .map(
          (value) =>
            `<table:table-row><table:table-cell ${value}/><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>`,
        )
        .join(
          '',
        )}<table:table-row><table:table-cell><text:p>y</text:p><office:annotation><dc:creator>Ann</dc:creator><text:p>Note</text:p></office:annotation></table:table-cell></table:table-row></table:table></office:body>`,
    ),
    '2024-03-01\tx\n7%\tx\nTRUE\tx\n36:05:00\tx\n12.5 EUR\tx\ny\nNote\n',
    ['S'],
  ],
  [
    // What the masters of the slides show, and not what they ask to be written; footers; what a picture shows.
    'masters.odp',
    odf(
      'presentation',
      '<office:body><office:presentation><presentation:footer-decl presentation:name="f">Draft</presentation:footer-decl><presentation:footer-decl presentation:name="g">Unused</presentation:footer-decl>' +
        '<draw:page draw:master-page-name="M" presentation:use-footer-name="f"><draw:frame><draw:image xlink:href="a.png"/><svg:title>A quay</svg:title></draw:frame></draw:page>' +
        '<draw:page draw:master-page-name="M" presentation:use-footer-name="f"><draw:frame><draw:text-box><text:p>Body</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body>',
      {
        'styles.xml':
          '<s><office:master-styles><style:master-page style:name="M"><draw:frame presentation:class="title"><draw:text-box><text:p>Click to edit</text:p></draw:text-box></draw:frame>' +
          '<draw:frame><draw:text-box><text:p>Harbour office</text:p></draw:text-box></draw:frame></style:master-page><style:master-page style:name="N"><draw:frame><draw:text-box><text:p>Not used</text:p></draw:text-box></draw:frame></style:master-page></office:master-styles></s>',
      },
    ),
    '[A quay]\n\nBody\n\nHarbour office\n\nDraft',
    [null],
  ],
  ['a.vcf', cards, 'Ann Lee\nAddress: Quay 1, Alba, 1234\nNote: a, b\n\nJürg, Bo', ['Ann Lee', 'Jürg, Bo']],
  ['a.ics', event, 'Start: 2024-03-01 09:00 Europe/Oslo\nDry dock\nAttendee: Bo <bo@example.com>', ['Dock > Dry dock']],
  [
    'a.svg',
    '<svg xmlns="s"><title>Plan</title><style>p{}</style><path d="M0 0"/><g><text>Load <tspan>20 t</tspan></text></g></svg>',
    'Plan\nLoad 20 t',
    [null],
  ],
  [
    'hidden.svg',
    '<svg><g display="none"><text>Off</text></g><text style="visibility: hidden">Unseen</text><text>Seen</text></svg>',
    'Seen',
    [null],
  ],
  [
    'a.tex',
    tex,
    'Port fees\n\nFees & dues\n\nGröße é of 100 t, see here (A note.).\n\n- One\n- Two a_1\n\nTable\n\nPort\tFee\nAlba\t10%\n\n \\x{1} % kept',
    ['Port fees > Fees & dues', 'Port fees > Fees & dues > Table'],
  ],
  [
    'a.org',
    org,
    'Port\n\nFees\n\nRead this and here[1], a/b/c.\n\n* kept *so*\n\nTable\n\nPort\tFee\nAlba\t10\n\nEnd\n\n- done',
    ['Port > Fees', 'Port > Fees > Table', 'Port > End'],
  ],
  [
    'a.adoc',
    adoc,
    'Port\n\nFees\n\nRead this, here and there in tonnes. (A note.)\n\nExample\n\n* kept *so*\n\nTable\n\nPort\tFee\nAlba\t10\nnone\n\n- One\nA quay',
    ['Port > Fees', 'Port > Fees > Table'],
  ],
]

const members: [name: string, content: string | Uint8Array, attachments: string[]][] = [
  [
    'a.zip',
    makeZip({ 'd/b.txt': 'B', '../../up.txt': 'U', '/C:\\x\\y.txt': 'Y', '__MACOSX/b.txt': 'M', 'empty/': '' }),
    ['d/b.txt', 'up.txt', 'C:/x/y.txt'],
  ],
  ['a.tar', makeTar({ 'd/b.txt': 'B', '../c.txt': 'C' }), ['d/b.txt', 'c.txt']],
  // As tar was before POSIX.
  ['old.tar', makeTar({ 'b.txt': 'B' }, ''), ['b.txt']],
  ['a.tgz', gzipSync(makeTar({ 'b.txt': 'B' })), ['b.txt']],
  ['b.txt.gz', gzipSync('B'), ['b.txt']],
  [
    'a.mbox',
    'From a@x Mon\nFrom: a@x\nTo: b@x\n\nFirst\n>From here\n\nFrom c@x Mon\nFrom: c@x\n\nSecond\n',
    ['message-1.eml', 'message-2.eml'],
  ],
]

describe('parsing old and open formats', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it.each(read)('reads %s', async (name, content, wanted, titles, names = []) => {
    const parsed = await parser.parseBytes(name, content)
    expect(parsed.text).toBe(wanted)
    expect([...new Set(parsed.units.map(({ title }) => title))]).toEqual(titles)
    expect(parsed.attachments.map((attachment) => attachment.name)).toEqual(names)
    checkLocators(parsed, Buffer.from(content as Uint8Array))
  })

  it.each(members)('%s: its members are documents below it', async (name, content, names) => {
    const { attachments, units } = await parser.parseBytes(name, content)
    expect(units).toEqual([])
    expect(attachments.map((attachment) => attachment.name)).toEqual(names)
  })

  it('finds each message of a large mail store, whole and as it was written', async () => {
    // Lines of all kinds stand where one piece that is read ends and the next begins.
    const line = '>From here\r\n'
    const bodies = Array.from({ length: 40 }, (_, i) => `${'x'.repeat(6_500 + 7 * i)}\r\n${line}`.repeat(5))
    const store = bodies
      .map((body, i) => `From a@x Mon\r\nSubject: ${i}\r\n\r\n${body}From no message\r\n\r\n`)
      .join('')
    const { attachments } = await parser.parseBytes('a.mbox', store)
    const texts = attachments.map(({ bytes }) => Buffer.from(bytes).toString())
    expect(texts).toEqual(
      bodies.map((body, i) => `Subject: ${i}\r\n\r\n${body.replaceAll('>From', 'From')}From no message\r\n\r\n`),
    )
  })

  it.each(['a.ppt', 'a.doc'])('reads the pictures of %s, large ones once each', async (name) => {
    const [first, second] = [makePng(64, 80), makePng(70, 70)]
    const streams = makeBlips([first, makePng(16, 16), second, first])
    const content =
      name === 'a.ppt'
        ? makePpt([{ title: 'First', text: 'Body' }], undefined, '', { '/Pictures': streams })
        : makeDoc('Fees\r', { '/Data': streams })
    const { attachments } = await parser.parseBytes(name, content)
    expect(attachments.map(({ name, bytes }) => [name, Buffer.from(bytes)])).toEqual([
      ['picture-1.png', first],
      ['picture-2.png', second],
    ])
  })

  it('reads pictures and objects of a document in Rich Text Format', async () => {
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    const named = (name: string) => Buffer.concat([Buffer.from([name.length, 0, 0, 0]), Buffer.from(name)])
    const native = nativeObject('plan.txt', 'Plan').subarray(4)
    const object = Buffer.concat([
      Buffer.alloc(8),
      named('Package\0'),
      named(''),
      named(''),
      Buffer.from([native.length, 0, 0, 0]),
      native,
    ])
    const content = `{\\rtf1 Text{\\pict\\pngblip ${hex(makePng(80, 80))}}{\\object{\\*\\objdata ${hex(object)}}}}`
    const { text: found, attachments } = await parser.parseBytes('a.rtf', content)
    expect(found).toBe('Text')
    expect(attachments.map(({ name }) => name)).toEqual(['picture-1.png', 'plan.txt'])
    expect(Buffer.from(attachments[1]?.bytes ?? []).toString()).toBe('Plan')
  })

  it('reads the tables of a database by their rows', async () => {
    const { default: sqlite } = await import('node-sqlite3-wasm')
    const path = join(await mkdtemp(join(tmpdir(), 'sqlite-')), 'a.db')
    const database = new sqlite.Database(path)
    database.exec(
      `CREATE TABLE fees (port TEXT, fee REAL, note BLOB); INSERT INTO fees VALUES ('Alba', 0.5, x'00'), ('Brun', NULL, NULL)`,
    )
    database.exec('CREATE VIEW seen AS SELECT * FROM fees')
    database.close()
    const bytes = await readFile(path)
    const parsed = await parser.parseBytes('a.db', bytes)
    expect(parsed.text).toBe('port\tfee\tnote\nAlba\t0.5\nBrun\n')
    expect(parsed.units.map(({ title, locator }) => [title, locator])).toEqual([
      ['fees', { kind: 'line_range', start: 2, end: 3 }],
    ])
    // As a program leaves it that keeps a write-ahead log, whose own file is gone.
    const logged = Buffer.from(bytes).fill(2, 18, 20)
    expect((await parser.parseBytes('a.db', logged)).text).toBe(parsed.text)
    await expect(parser.parseBytes('a.db', bytes.subarray(0, 5_000))).rejects.toMatchObject({ reason: 'malformed' })
    await expect(parser.parseBytes('a.parquet', 'PAR1 and no more')).rejects.toMatchObject({ reason: 'malformed' })
  })

  const whole = Object.fromEntries(
    [...read, ...members].map(([name, content]) => [name, Buffer.from(content as Uint8Array)]),
  )
  const fails = /^(malformed|empty|unsupported|too_large|locked)$/

  it.each(Object.entries(whole))('%s: cut off or damaged, it is refused or read, soon', async (name, bytes) => {
    let seed = 7
    const random = () => (seed = (seed * 48_271) % 2_147_483_647)
    const damaged = Array.from({ length: shortOrLong(4, 12) }, () => {
      const copy = Buffer.from(bytes)
      for (let i = 0; i < 8; i++) copy[random() % copy.length] = random() % 256
      return copy
    })
    const cut = [0.2, 0.5, 0.9, 0.99].map((share) => bytes.subarray(0, Math.floor(bytes.length * share)))
    const filled = Buffer.concat([
      bytes.subarray(0, 600),
      Buffer.from(Array.from({ length: 5_000 }, () => random() % 256)),
    ])
    for (const content of [...damaged, ...cut, filled]) {
      const reason = await parser.parseBytes(name, content).then(
        () => 'empty',
        (error: { reason: string }) => error.reason,
      )
      expect(reason).toMatch(fails)
    }
  })

  it.each([
    ['a.rtf', `{\\rtf1${'{'.repeat(200_000)}`, 'malformed'],
    ['a.tar', makeTar({ a: 'A' }).subarray(0, 512), 'malformed'],
    ['a.gz', Buffer.concat(Array(257).fill(gzipSync(Buffer.alloc(2 ** 20)))), 'too_large'],
    ['a.zip', makeZip(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, 'x']))), 'too_large'],
    ['a.zip', makeZip({ a: 'A' }, { encrypted: true }), 'unsupported'],
    ['a.zip', makeZip({ a: 'A' }, { zip64: true, claimedBytes: 2 ** 50 }), 'too_large'],
    ['a.zip', withCount(makeZip({ a: 'A' }, { zip64: true }), 2n ** 50n), 'malformed'],
    ['a.odt', odf('text', text, { 'META-INF/manifest.xml': '<m><encryption-data/></m>' }), 'locked'],
    ['a.odt', makeZip({ 'content.xml': '<a/>' }), 'malformed'],
    ['a.doc', makeDoc('Fees', { '/0Table': pieceOf(0x7fffffff) }), 'malformed'],
  ])('refuses %s (%#)', async (name, content, reason) => {
    await expect(parser.parseBytes(name, content)).rejects.toMatchObject({ reason })
  })
})

/** An archive that claims to have this number of files. */
function withCount(zip: Buffer, count: bigint): Buffer {
  zip.writeBigUInt64LE(count, zip.indexOf('PK\x06\x06') + 32)
  return zip
}

/** The table of a document with one piece of this length, in characters. */
function pieceOf(length: number): Buffer {
  const table = Buffer.alloc(4_096)
  table.writeUInt8(2, 0)
  table.writeUInt32LE(16, 1)
  table.writeUInt32LE(length, 9)
  table.writeUInt32LE(0x1000 | 0x40000000, 15)
  return table
}

function makeTar(files: Readonly<Record<string, string>>, mark = 'ustar\x0000'): Buffer {
  const parts = Object.entries(files).flatMap(([name, content]) => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124)
    header.write('0', 156)
    header.write(mark, 257)
    const sum = header.reduce((all, byte) => all + byte, 8 * 32)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const body = Buffer.alloc(Math.ceil(content.length / 512) * 512)
    body.write(content)
    return [header, body]
  })
  return Buffer.concat([...parts, Buffer.alloc(1_024)])
}
