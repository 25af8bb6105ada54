import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDocx, makePptx, makeXlsx, relations } from '../../support/documents/make-office.ts'
import { makePng } from '../../support/documents/make-png.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`

describe('parsing Office files', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it('reads a Word document: headings, tables, text boxes; not what was deleted', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
    const box = `<w:txbxContent>${paragraph('In a box')}</w:txbxContent>`
    const body = [
      paragraph('Plan', 'H1'),
      `<w:p><w:r><w:t>Kept</w:t></w:r><w:del><w:r><w:delText>Dropped</w:delText></w:r></w:del></w:p>`,
      `<w:p><mc:AlternateContent><mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:p>`,
      `<w:tbl><w:tr>${cell('Name')}${cell('Age')}</w:tr><w:tr>${cell('Ann')}${cell('7')}</w:tr></w:tbl>`,
      `<w:p><m:f><m:num><m:t>a</m:t></m:num><m:den><m:t>b</m:t></m:den></m:f></w:p>`,
      '<w:p><w:r><w:fldChar><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Not"/><w:listEntry w:val="Chosen"/></w:ddList></w:ffData></w:fldChar></w:r></w:p>',
      '<w:p><w:r><v:shape><v:textpath string="Drawn letters"/></v:shape></w:r></w:p>',
    ]
    const styles = '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>'
    const parts = {
      'word/styles.xml': styles,
      'word/media/big.png': makePng(64, 64),
      'word/media/icon.png': makePng(63, 200),
      'word/_rels/document.xml.rels': relations({
        s: ['styles', 'styles.xml'],
        a: ['image', 'media/big.png'],
        b: ['image', 'media/icon.png'],
      }),
    }
    const { text, units, attachments, mime } = await parser.parseBytes('a.docx', makeDocx(body.join(''), parts))
    expect(mime).toBe('application/vnd.openxmlformats-officedocument.wordprocessingml.document')
    expect(text).toBe('Plan\n\nKept\n\nIn a box\n\nName\tAge\nAnn\t7\n\na/b\n\nChosen\n\nDrawn letters')
    expect(units.map(({ title }) => title)).toEqual(['Plan'])
    for (const { locator, text: chunk } of units) {
      if (locator?.kind === 'char_span') expect(text?.slice(locator.start, locator.end)).toBe(chunk)
    }
    expect(attachments.map(({ name }) => name)).toEqual(['big.png'])
  })

  it('reads a workbook: one sheet after another, one row per line', async () => {
    const people =
      '<row r="2"><c r="B2" t="s"><v>0</v></c><c r="D2" t="inlineStr"><is><t>Born</t></is></c></row>' +
      '<row r="3"><c r="B3" t="s"><v>1</v></c><c r="D3" s="1"><v>45413</v></c></row>' +
      '<row r="9"><c r="B9" t="str"><v>Bob\nLee</v></c><c r="D9"><v>0.30000000000000004</v></c></row>'
    const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    const strings = '<sst><si><t>Name</t></si><si><r><t>An</t></r><r><t>n</t></r><rPh><t>reading</t></rPh></si></sst>'
    const parts = { 'xl/sharedStrings.xml': strings, 'xl/styles.xml': styles }
    const other =
      '<row r="1"><c r="A1" t="b"><v>1</v></c></row></sheetData><headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"Draft &amp;A&amp;RPage &amp;P</oddHeader></headerFooter><sheetData>'
    const { text, units } = await parser.parseBytes('a.xlsx', makeXlsx({ People: people, Other: other }, parts))
    expect(text).toBe('Name\tBorn\nAnn\t2024-05-01\nBob Lee\t0.3\nTRUE\nDraft\n')
    expect(units.map(({ title, metadata }) => [title, metadata])).toEqual([
      ['People', { sheet: 'People', rows: '3-9' }],
      ['Other', { sheet: 'Other', rows: '1' }],
    ])
    expect(units.map(({ locator }) => locator)).toEqual([
      { kind: 'line_range', start: 2, end: 3 },
      { kind: 'line_range', start: 4, end: 5 },
    ])
    expect(units.at(0)?.text).toBe('Name\tBorn\nAnn\t2024-05-01\nBob Lee\t0.3')
  })

  it('shows the numbers of a workbook as it does, and merged cells in each place', async () => {
    const codes = ['0.0%', '#,##0.00 [$€-407]', '[h]:mm', '00000', 'dd/mm/yyyy']
    const styles = `<styleSheet><numFmts>${codes.map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/>${codes.map((_, i) => `<xf numFmtId="${164 + i}"/>`).join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`
    const cells = (row: number, values: (string | number)[], styled = false) =>
      `<row r="${row}">${values.map((value, i) => (value === '' ? '' : `<c r="${'ABCDEF'[i]}${row}"${styled ? ` s="${i + 1}"` : ''}${typeof value === 'string' ? ' t="str"' : ''}><v>${value}</v></c>`)).join('')}</row>`
    const sheet =
      `</sheetData><sheetData>${cells(1, ['Rates', '', 'Times', '', 'Days', ''])}${cells(2, ['Share', 'Fee', 'Open', 'Code', 'From', 'To'])}` +
      `${cells(3, [0.155, 1234.5, 1.5, 1067, 43890, 43890], true)}</sheetData>` +
      '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="C1:D1"/><mergeCell ref="E1:F1"/></mergeCells><sheetData>'
    const workbook =
      '<workbook><workbookPr date1904="1"/><sheets><sheet name="A" state="hidden" r:id="r0"/></sheets></workbook>'
    const parts = { 'xl/styles.xml': styles, 'xl/workbook.xml': workbook }
    const { units } = await parser.parseBytes('a.xlsx', makeXlsx({ A: sheet }, parts))
    expect(units.map(({ text }) => text)).toEqual([
      'Rates\tRates\tTimes\tTimes\tDays\tDays\nShare\tFee\tOpen\tCode\tFrom\tTo\n15.5%\t1,234.50 €\t36:00\t01067\t01/03/2024\t2024-03-01',
    ])
    expect(units[0]?.metadata).toEqual({ sheet: 'A', rows: '3', hidden: true })
  })

  it('shows numbers and texts by the code of their cells', async () => {
    const shown: [code: string, value: number | string, shown: string][] = [
      ['# ??/??', 0.3125, '5/16'],
      ['0.00E+00', 12345, '1.23E+04'],
      ['[Red][&lt;0]-0.0;[&gt;100]&quot;big &quot;0;0.00', 250, 'big 250'],
      ['0.0,&quot;k&quot;', 12345, '12.3k'],
      ['[mm]:ss', 0.05, '72:00'],
      ['mmss.0', 0.0007175925, '01:02.0'],
      ['[$-40C]d mmmm yyyy', 45352, '1 mars 2024'],
      ['&quot;Total: &quot;General', 7, 'Total: 7'],
      ['[=1]&quot;one&quot;;[=2]&quot;two&quot;;0', 2, 'two'],
      ['@&quot; kg&quot;', 'net', 'net kg'],
      ['0;-0;0;&quot;is &quot;@', 'text', 'is text'],
      ['0', 'text', 'text'],
      // Nothing is lost where a code shows nothing.
      [';;;', 7, '7'],
      ['General', 1e21, '1E+21'],
    ]
    const styles = `<styleSheet><numFmts>${shown.map(([code], i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs>${shown.map((_, i) => `<xf numFmtId="${164 + i}"/>`).join('')}</cellXfs></styleSheet>`
    const rows = shown.map(
      ([, value], i) =>
        `<row r="${i + 1}"><c r="A${i + 1}" s="${i}"${typeof value === 'string' ? ' t="str"' : ''}><v>${value}</v></c><c r="B${i + 1}"><v>${i}</v></c></row>`,
    )
    const { text } = await parser.parseBytes('a.xlsx', makeXlsx({ A: rows.join('') }, { 'xl/styles.xml': styles }))
    expect(text?.split('\n').map((line) => line.split('\t')[0])).toEqual([...shown.map(([, , text]) => text), ''])
  })

  it('reads lists with their numbers, notes at their places, charts, and files in a document', async () => {
    const item = (text: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const body = [
      `${item('Open')}${item('Close')}`,
      '<w:p><w:r><w:t>Said</w:t><w:footnoteReference w:id="2"/></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>',
      '<w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p>',
    ]
    const chart =
      '<c:chartSpace><c:title><a:t>Traffic</a:t></c:title><c:ser><c:tx><c:v>Ships</c:v></c:tx><c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat>' +
      '<c:val><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>0.5</c:v></c:pt></c:val></c:ser></c:chartSpace>'
    const parts = {
      'word/_rels/document.xml.rels': relations({
        n: ['numbering', 'numbering.xml'],
        f: ['footnotes', 'footnotes.xml'],
        c: ['chart', 'chart.xml'],
        p: ['package', 'embeddings/plan.xlsx'],
      }),
      'word/numbering.xml':
        '<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="(%1)"/></w:lvl></w:abstractNum>' +
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>',
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="2">${paragraph('The source')}</w:footnote></w:footnotes>`,
      'word/chart.xml': chart,
      'word/embeddings/plan.xlsx': makeXlsx({}),
    }
    const { text, attachments } = await parser.parseBytes('a.docx', makeDocx(body.join(''), parts))
    expect(text).toBe('(iii) Open\n\n(iv) Close\n\nSaid\n[1] The source\n\nTraffic\n\n\tShips\nMay\t50%')
    expect(attachments.map(({ name }) => name)).toEqual(['plan.xlsx'])
  })

  it('reads a presentation, slide by slide, with the notes', async () => {
    const shape = (text: string, kind = '') =>
      `<p:sp><p:nvSpPr><p:nvPr>${kind && `<p:ph type="${kind}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
    const parts = {
      'ppt/slides/_rels/slide0.xml.rels': relations({
        n: ['notesSlide', '../notes.xml'],
        l: ['slideLayout', '../slideLayouts/l.xml'],
      }),
      'ppt/slideLayouts/_rels/l.xml.rels': relations({ m: ['slideMaster', '../master.xml'] }),
      'ppt/slideLayouts/l.xml': `<p:sldLayout><p:cSld><p:spTree>${shape('Click here', 'body')}</p:spTree></p:cSld></p:sldLayout>`,
      'ppt/master.xml': `<p:sldMaster><p:cSld><p:spTree>${shape('Harbour office')}</p:spTree></p:cSld></p:sldMaster>`,
      'ppt/notes.xml': `<p:notes><p:cSld><p:spTree>${shape('Say hello', 'body')}${shape('1', 'sldNum')}</p:spTree></p:cSld></p:notes>`,
    }
    const footer = shape('Draft of May', 'ftr') + shape('7', 'sldNum')
    const slides = [
      shape('Body one') + shape('First', 'title') + footer,
      `${footer}<p:grpSp>${shape('Body two')}</p:grpSp>`,
    ]
    const { text, units } = await parser.parseBytes('a.pptx', makePptx(slides, parts))
    expect(text).toBe('First\n\nBody one\n\nSay hello\n\nBody two\n\nDraft of May\nHarbour office')
    expect(units.map(({ title, metadata }) => [title, metadata])).toEqual([
      ['First', { page: 1 }],
      [null, { page: 2 }],
      [null, {}],
    ])
  })

  const refused = async (name: string, bytes: Uint8Array, reason: string) =>
    expect(parser.parseBytes(name, bytes)).rejects.toMatchObject({ reason })

  it('names what is wrong with a file', async () => {
    await refused('a.docx', makeDocx(paragraph('x')).subarray(0, 300), 'malformed')
    await refused('a.docx', makeZip({ 'readme.txt': 'hello' }), 'malformed')
    await refused('a.docx', makeDocx(''), 'empty')
    await refused('a.docx', makeDocx(paragraph('x'), {}, { encrypted: true }), 'locked')
    await refused('a.docx', compoundFile('EncryptedPackage'), 'locked')
    for (const [name, stream] of Object.entries({ doc: 'WordDocument', xls: 'Workbook', ppt: 'PowerPoint Document' }))
      await refused(`a.${name}`, compoundFile(stream), 'malformed')
    await refused('a.bin', compoundFile('Something'), 'unsupported')
  })

  it('does not unpack, nest or expand without end', async () => {
    await refused('a.docx', makeDocx(paragraph('x'), {}, { claimedBytes: 200 * 2 ** 20 }), 'too_large')
    await refused('a.docx', makeDocx(`<!-- ${' '.repeat(257 * 2 ** 20)} -->`, {}, { claimedBytes: 100 }), 'too_large')
    const entries = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`word/${i}`, '']))
    await refused('a.docx', makeDocx('', entries), 'too_large')
    await refused('a.docx', makeDocx('<w:sdt>'.repeat(100_000)), 'malformed')
    const entities =
      '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><w:document><w:body>&b;</w:body></w:document>'
    await refused('a.docx', makeDocx('', { 'word/document.xml': entities }), 'malformed')
    // A document type without entities of its own, as formulas in old ODF files have.
    const named =
      '<!DOCTYPE x PUBLIC "-//X//X" "x.dtd"><w:document><w:body><w:p><w:r><w:t>Rope</w:t></w:r></w:p></w:body></w:document>'
    expect(await parser.parseBytes('a.docx', makeDocx('', { 'word/document.xml': named }))).toMatchObject({
      text: 'Rope',
    })
  })
})

/** A compound file with a stream of this name in its directory. */
function compoundFile(stream: string): Buffer {
  const file = Buffer.alloc(2048)
  file.write('d0cf11e0a1b11ae1', 'hex')
  file.writeUInt16LE(9, 0x1e)
  file.writeUInt32LE(1, 0x30)
  file.write(stream, 1024, 'utf16le')
  return file
}
