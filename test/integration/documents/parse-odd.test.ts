import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { makeDocx, makePptx, relations } from '../../support/documents/make-office.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => utf16(text).swap16()
const withBadByte = (before: string, after: string) =>
  Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)])

const book = (spine: string, more: Record<string, string> = {}) =>
  makeZip({
    ...more,
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="c.opf"/></rootfiles></container>',
    'c.opf': `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>${spine}</spine></package>`,
    'a.xhtml': '<html><body><p>Chapter words</p></body></html>',
  })

const hiddenStyle = makeDocx(
  '<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>Unseen</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>Seen</w:t></w:r></w:p>',
  {
    'word/styles.xml': '<w:styles><w:style w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>',
    'word/_rels/document.xml.rels': relations({ s: ['styles', 'styles.xml'] }),
  },
)
const shape = (text: string) => `<p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
const points = (name: string, value: string) => `<c:${name}><c:pt idx="0"><c:v>${value}</c:v></c:pt></c:${name}>`
const chartSlide = makePptx(
  [`${shape('Before')}<p:graphicFrame><a:graphic><c:chart r:id="c"/></a:graphic></p:graphicFrame>${shape('After')}`],
  {
    'ppt/slides/_rels/slide0.xml.rels': relations({ c: ['chart', '../charts/chart1.xml'] }),
    'ppt/charts/chart1.xml': `<c:chartSpace><c:ser><c:tx><c:v>Tons</c:v></c:tx>${points('cat', 'Oslo')}${points('val', '5')}</c:ser></c:chartSpace>`,
  },
)

const packed = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * i * 7 + i) % 256)).toString('base64')

/** It says that it is the second part. */
const partOfZip = makeZip({ 'a.txt': 'A' })
partOfZip.writeUInt16LE(1, partOfZip.length - 18)

/** An archive of one file, whose name is these bytes. */
function namedZip(name: Buffer): Buffer {
  const zip = makeZip({ ['x'.repeat(name.length)]: 'A' })
  for (let at = zip.indexOf('xxx'); at >= 0; at = zip.indexOf('xxx', at)) zip.set(name, at)
  return zip
}

/** The same with another name beside it, in UTF-8. */
function withUnicodePath(zip: Buffer, name: string): Buffer {
  const field = Buffer.concat([Buffer.from('up\0\0\x01\0\0\0\0', 'latin1'), Buffer.from(name)])
  field.writeUInt16LE(field.length - 4, 2)
  const end = zip.length - 22
  zip.writeUInt16LE(field.length, zip.indexOf('PK\x01\x02') + 30)
  zip.writeUInt32LE(zip.readUInt32LE(end + 12) + field.length, end + 12)
  return Buffer.concat([zip.subarray(0, end), field, zip.subarray(end)])
}

const imploded = makeZip({ 'a.txt': 'A' })
imploded.writeUInt8(6, imploded.indexOf('PK\x01\x02') + 10)

/** It holds a file as bytes that are not text. */
const binaryMail = Buffer.concat([
  Buffer.from(
    'Received: by x\r\nFrom: a@x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nBefore the file\r\n--b\r\nContent-Type: application/octet-stream; name="a.bin"\r\nContent-Transfer-Encoding: binary\r\n\r\n',
  ),
  Buffer.alloc(200, '\0\x01\x02'),
  Buffer.from('\r\n--b--\r\n'),
])

const chapter = '<itemref idref="a"/>'
const lockedPart = '<e><CipherReference URI="a.xhtml"/></e>'

const wordXml = `<?xml version="1.0"?><?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">
<w:styles><w:style w:styleId="H"><w:name w:val="heading 1"/></w:style></w:styles><w:body><wx:sect>
<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>Mooring</w:t></w:r></w:p>
<w:p><w:pPr><w:listPr><wx:t wx:val="1."/></w:listPr></w:pPr><w:r><w:t>Ropes</w:t><w:footnote><w:p><w:r><w:t>hemp</w:t></w:r></w:p></w:footnote></w:r></w:p>
<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r><aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:t>gone</w:t></w:r></aml:content></aml:annotation></w:p>
</wx:sect></w:body></w:wordDocument>`
const flatWord = `<?xml version="1.0"?><?mso-application progid="Word.Document"?><pkg:package>
<pkg:part pkg:name="/_rels/.rels"><pkg:xmlData><Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></Relationships></pkg:xmlData></pkg:part>
<pkg:part pkg:name="/word/document.xml"><pkg:xmlData><w:document><w:body><w:p><w:r><w:t>Flat words</w:t></w:r></w:p></w:body></w:document></pkg:xmlData></pkg:part></pkg:package>`
const excelXml = `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Styles><Style ss:ID="p"><NumberFormat ss:Format="0.0%"/></Style></Styles><Worksheet ss:Name="Fees"><Table>
<Row><Cell><Data ss:Type="String">Port</Data></Cell><Cell><Data ss:Type="String">Share</Data></Cell></Row>
<Row><Cell><Data ss:Type="String">Alba</Data></Cell><Cell ss:StyleID="p"><Data ss:Type="Number">0.155</Data></Cell></Row></Table></Worksheet></Workbook>`
const savedPage =
  'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Saved words</p>\r\n--b--\r\n'

const calendar = `BEGIN:VCALENDAR
BEGIN:VEVENT
DTSTART;TZID=Europe/Oslo:20240301T090000
DTEND:20240301T100000Z
SUMMARY:A long sum
 mary that is fol
\tded
DESCRIPTION:Line one\\nLine two\\, and
END:VEVENT
END:VCALENDAR
`

/** The texts of the Units, or the reason for which there are none. */
const odd: [name: string, content: string | Uint8Array, found: string[] | string][] = [
  ['text.docx', 'Just text.', 'malformed'],
  ['page.doc', '<html><body><p>Words in a page.</p></body></html>', ['Words in a page.']],
  ['rich.doc', '{\\rtf1 Words in RTF.}', ['Words in RTF.']],
  ['page.xls', '<html><table><tr><td>Fee<td>Port<tr><td>1<td>Alba</table></html>', ['Fee\tPort\n1\tAlba']],
  ['a.csv', 'port;fee\nAlba;1,5\nBrun;2,5\n', ['port;fee\nAlba;1,5\nBrun;2,5']],
  ['tabs.csv', 'port\tfee\nAlba\t10\n', ['port\tfee\nAlba\t10']],
  ['quotes.csv', 'port,note\nAlba,"one\ntwo, ""three"""\nBrun,x', ['port,note\nAlba,"one\ntwo, ""three"""\nBrun,x']],
  ['bom.csv', '\ufeffport,fee\r\nAlba,1\r\n', ['port,fee\r\nAlba,1']],
  ['sound.bin', Buffer.from('Creative Voice File\x1a\x1a\0\n\x01)\x11', 'latin1'), 'unsupported'],
  ['figure.eps', '%!PS-Adobe-3.0 EPSF-3.0\n%%Title: Figure\nnewpath 0 0 moveto\n', 'unsupported'],
  ['table.slk', 'ID;PWXL;N;E\nC;Y1;X1;K"Port"\nE\n', 'unsupported'],
  ['beside.xmp', '<?xpacket begin="" id="a"?>\n<x:xmpmeta><t:desc>A quay</t:desc></x:xmpmeta>', ['desc: A quay']],
  ['utf16.csv', utf16('port,fee\nAlba,1\n'), ['port,fee\nAlba,1']],
  ['utf16be.csv', utf16be('port,fee\nAlba,1\n'), ['port,fee\nAlba,1']],
  ['utf16.json', utf16('{"a":"Wörter"}'), ['{"a":"Wörter"}']],
  ['utf16.xml', utf16('<?xml version="1.0" encoding="UTF-16"?><a>Words here</a>'), ['a: Words here']],
  ['utf16.vcf', utf16('\ufeffBEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Lee\r\nEND:VCARD\r\n'), ['Ann Lee']],
  [
    'utf16.eml',
    utf16('From: a@example.com\r\nBcc: b@example.com\r\nSubject: Docks\r\n\r\nGrüße\r\n'),
    ['From: <a@example.com>\nBcc: <b@example.com>\n\nGrüße'],
  ],
  ['utf16.srt', utf16('\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nWords.\r\n'), ['Words.']],
  [
    'bad.md',
    withBadByte('# Größe\n\nÄpfel und Öl, straße ', ' und Wörter.'),
    ['Äpfel und Öl, straße \ufffd und Wörter.'],
  ],
  ['surrogate.json', '{"a":"x \\ud83d y","b":"\\ud83d\\ude00 smile"}', ['{"a":"x \ufffd y","b":"😀 smile"}']],
  ['twice.json', '{"a":1}\n{"a":2}\n', ['a: 1\n\na: 2']],
  ['numbers.json', '{"a":123456789012345678901234567890}', ['{"a":123456789012345678901234567890}']],
  [
    'settings.json',
    '{\n// a "b"\n"c": "x // y", /* d */ "e": [1,],\n}',
    ['{\n// a "b"\n"c": "x // y", /* d */ "e": [1,],\n}'],
  ],
  ['open.json', '{"a": 1 /* b', 'malformed'],
  ['not-a-number.json', '{"a":NaN}', 'malformed'],
  ['broken.jsonl', '{"a":"One"}\nnot json\n{"a":"Three"}\n{"a":\n', ['a: One\n\nnot json\n\na: Three\n\n{"a":']],
  [
    'old.vcf',
    'BEGIN:VCARD\nVERSION:2.1\nN:Müller;Jörg\nNOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Gr=FC=DFe =\naus Bonn\nEND:VCARD\n',
    ['Müller, Jörg\nNote: Grüße aus Bonn'],
  ],
  [
    'dock.ics',
    calendar,
    [
      'Start: 2024-03-01 09:00 Europe/Oslo\nEnd: 2024-03-01 10:00 UTC\nA long summary that is folded\nLine one\nLine two, and',
    ],
  ],
  [
    'drawing.html',
    '<p>Load</p><svg><title>Icon</title><style>p{}</style><g><text>20 <tspan>t</tspan></text><text>30 t</text></g></svg>',
    ['Load\n\n20 t\n\n30 t'],
  ],
  [
    'plan.svg',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert("evil")</script><style>.a{}</style><title>Plan</title><text><tspan>Qu</tspan><tspan>ay</tspan><tspan x="0">seven</tspan></text><foreignObject><div xmlns="http://www.w3.org/1999/xhtml"><p>In a</p><p>page</p></div></foreignObject></svg>',
    ['Plan\nQuay seven\nIn a page'],
  ],
  ['old.txt', '<?xml version="1.0"?>\n<!DOCTYPE HTML PUBLIC "x">\n<html><p>Words<br>here</html>', ['Words\nhere']],
  ['stored.eml', 'From a@x Mon\nSubject: S\nFrom: a@x\n\nKept words\n', ['From: <a@x>\n\nKept words']],
  ['attachment-1', savedPage.replace('MIME-Version: 1.0\r\n', ''), ['Saved words']],
  ['raw.eml', binaryMail, ['From: <a@x>\n\nBefore the file']],
  [
    'agent.vcf',
    'BEGIN:VCARD\nVERSION:2.1\nFN:\nN:Lee;Ann\nTEL:12\nAGENT:\nBEGIN:VCARD\nFN:Bo\nEND:VCARD\nNOTE:a\\\\nb\nEND:VCARD\n',
    ['Bo', 'Lee, Ann\nTelephone: 12\nNote: a\\nb'],
  ],
  [
    'often.ics',
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Watch\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU;UNTIL=20240301T080000Z\nRDATE;TZID=Europe/Oslo:20240102T090000,20240103T090000\nEXDATE;VALUE=DATE:20240108\nEND:VEVENT\nEND:VCALENDAR\n',
    [
      'Watch\nRepeats: weekly, by day MO TU, until 2024-03-01 08:00 UTC\nAlso on: 2024-01-02 09:00 Europe/Oslo, 2024-01-03 09:00 Europe/Oslo\nNot on: 2024-01-08',
    ],
  ],
  [
    'own.tex',
    '\\newcommand{\\place}{Port \\emph{Alba}}\\newcommand\\pair[2]{#1 by #2}\\def\\dock#1{dock #1}\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\again}{\\again}\\begin{document}At \\place{}, \\pair{Ann}{\\dock{7}}\\again. \\unknown{one}{two} \\hyperlink{a}{three}\\end{document}',
    ['At Port Alba, Ann by dock 7. one two three'],
  ],
  ['signs.adoc', 'Some `code++_++x` here.', ['Some `code_x` here.']],
  ['order.epub', book(chapter), ['Chapter words']],
  [
    'fonts.epub',
    book(chapter, { 'META-INF/encryption.xml': lockedPart.replace('a.xhtml', 'a.otf') }),
    ['Chapter words'],
  ],
  ['protected.epub', book(chapter, { 'META-INF/encryption.xml': lockedPart }), 'locked'],
  [
    'latin1.eml',
    Buffer.from('From: a@x\r\n\r\nDie Fähre fährt über die Straße.\r\n', 'latin1'),
    ['From: <a@x>\n\nDie Fähre fährt über die Straße.'],
  ],
  ['hidden.docx', hiddenStyle, ['Seen']],
  ['chart.pptx', chartSlide, ['Before\n\n\tTons\nOslo\t5\n\nAfter']],
  [
    'formula.pptx',
    makePptx([
      `<mc:AlternateContent><mc:Choice Requires="a14"><p:sp><p:txBody><a:p><a:r><a:t>Load </a:t></a:r><a14:m><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></a14:m></a:p></p:txBody></p:sp></mc:Choice><mc:Fallback>${shape('Picture')}</mc:Fallback></mc:AlternateContent>`,
    ]),
    ['Load 1/2'],
  ],
  ['star.rtf', String.raw`{\rtf1{\b\*\cs7 Lift} {\*\unknown gone}now}`, ['Lift now']],
  ['no-row.rtf', String.raw`{\rtf1\intbl Port\cell Fee\cell }`, ['Port\tFee']],
  [
    'symbol.rtf',
    String.raw`{\rtf1\ansicpg932{\fonttbl{\f0\fcharset0 Courier;}{\f1\fcharset128 Mincho;}}{\f0 caf\'e9 }{\f1\'8d\'60}}`,
    ['café 港'],
  ],
  ['word-2003.xml', wordXml, ['1. Ropes\n[1] hemp']],
  ['flat.xml', flatWord, ['Flat words']],
  ['excel-2003.xml', excelXml, ['Port\tShare\nAlba\t15.5%']],
  ['page.mht', savedPage, ['Saved words']],
  ['part.zip', partOfZip, 'unsupported'],
  ['imploded.zip', imploded, 'unsupported'],
  ['part.z01', Buffer.concat([Buffer.from('PK\x07\x08'), makeZip({ 'a.txt': 'A' })]), 'unsupported'],
  ['grey.pgm', 'P2\n# 2 x 2\n2 2\n255\n0 50\n100 255\n', 'unsupported'],
  ['lines.dxf', '999\nA program\n  0\nSECTION\n  2\nHEADER\n', 'unsupported'],
  ['key.pem', '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEF\n-----END PUBLIC KEY-----\n', 'unsupported'],
  ['signed.txt', '-----BEGIN PGP SIGNED MESSAGE-----\nCrane', ['-----BEGIN PGP SIGNED MESSAGE-----\nCrane']],
  ['crane.uu', 'begin 644 crane.txt\n#0V%T\n`\nend\n', 'unsupported'],
  ['crane.b64', packed, 'unsupported'],
  ['book.xml', '<?xml version="1.0"?><gnm:Workbook xmlns:gnm="g"><gnm:Cell>1</gnm:Cell></gnm:Workbook>', 'unsupported'],
  ['crane.csproj', '<Project><Name>Crane</Name></Project>', ['Name: Crane']],
  ['crane.tpl', '<p>One <b>crane</b>\n<p>Two', ['One crane\n\nTwo']],
  ['book.fb2', `<?xml version="1.0"?><FictionBook><p>Words</p><binary>${packed}</binary></FictionBook>`, ['p: Words']],
  ['no-order.epub', book(''), ['Chapter words']],
  ['frames.html', '<html><frameset><frame src=a></frameset><noframes>No frames</noframes></html>', ['No frames']],
  ['from.eml', 'From: a@x\nSubject: S\nMIME-Version: 1.0\n\nFrom here on.\n', ['From: <a@x>\n\nFrom here on.']],
  ['mac.txt', 'one\rtwo\r', ['one\rtwo']],
  [
    'crane.1',
    `.\\" A comment
.TH CRANE 1 "March 2026"
.de XX
gone
..
.SH NAME
crane \\- lifts \\fBcrates\\fR
.SH OPTIONS
.TP
.BR \\-l ", " \\-\\-load " " \\fItonnes\\fR
How much it lifts.
.nf
  crane  \\-l 5
`,
    ['crane - lifts crates', '-l, --load tonnes How much it lifts.\n\n  crane  -l 5'],
  ],
  [
    'crane.man',
    '.Dd May 1, 2026\n.Sh NAME\n.Nm crane ,\n.Nm\n.Nd lifts\n.Op Fl l Ar tonnes\n',
    ['crane, crane, - lifts -l tonnes'],
  ],
  ['crane.html.erb', '<%= render "menu" %>\n<p>Lift <% if @old %>old <% end %>crates', ['Lift old crates']],
  ['crane.php', '<?php $a->b(); ?><html><body><p>Lift <?= $x > 1 ?> crates<?php end', ['Lift crates']],
  ['crane.txt', '\u001b]0;title\u0007Lift \u001b[1;31mcrates\u001b[0m now', ['Lift crates now']],
  ['crane.log', '\u001b[32m2026-03-01 10:00:00\u001b[0m Lift \u001b[1mcrates\u001b[0m\n', ['Lift crates']],
  [
    'crane.cbor',
    Buffer.concat([Buffer.of(0xd9, 0xd9, 0xf7, 0x79, 15), Buffer.from('{ "url": "here" } '.repeat(60))]),
    'unsupported',
  ],
  [
    'crane.ulaw',
    Buffer.from(Array.from({ length: 9000 }, (_, i) => 0x7e + Math.round(50 * (1 + Math.sin(i / 9))))),
    'unsupported',
  ],
]

const archives: [name: string, content: Uint8Array, found: Record<string, string>][] = [
  ['two.gz', Buffer.concat([gzipSync('One'), gzipSync('Two')]), { two: 'OneTwo' }],
  ['after.zip', Buffer.concat([makeZip({ 'a.txt': 'A' }), Buffer.alloc(100)]), { 'a.txt': 'A' }],
  ['large.zip', makeZip({ 'a.txt': 'A', 'd/b.txt': 'B' }, { zip64: true }), { 'a.txt': 'A', 'd/b.txt': 'B' }],
  ['small-size.zip', makeZip({ 'a.txt': 'AAA' }, { zip64: true, claimedBytes: 1 }), { 'a.txt': 'AAA' }],
  ['nested.zip', makeZip({ 'a.txt': 'A', 'b.zip': makeZip({ 'c.txt': 'C' }, { stored: 'c.txt' }) }), { 'a.txt': 'A' }],
  ['dos.zip', namedZip(Buffer.from('Gr\x94\xe1e/\x8el.txt', 'latin1')), { 'Größe/Äl.txt': 'A' }],
  [
    'japan.zip',
    namedZip(Buffer.from('8d6093e097bf8be0955c838a83588367838b2e747874', 'hex')),
    { '港内料金表リストル.txt': 'A' },
  ],
  ['unicode.zip', withUnicodePath(namedZip(Buffer.from('???.txt')), 'Łódź.txt'), { 'Łódź.txt': 'A' }],
  [
    'mail.mbox',
    Buffer.from(
      'From a@x Mon\r\nFrom: a@x\r\n\r\nFrom here on\r\n\r\nFrom c@x Tue\r\nFrom: c@x\r\n\r\n>From there\r\n',
    ),
    {
      'message-1.eml': 'From: a@x\r\n\r\nFrom here on\r\n\r\n',
      'message-2.eml': 'From: c@x\r\n\r\nFrom there\r\n',
    },
  ],
  [
    'bare.mbox',
    Buffer.from(
      'From a@x Mon Jun 01 10:00:00 2009\n\nWords alone\n\nFrom c@x Mon Jun  1 11:00:00 2009\nFrom: c@x\n\nMore\n',
    ),
    { 'message-1.txt': '\nWords alone\n\n', 'message-2.eml': 'From: c@x\n\nMore\n' },
  ],
  [
    'forwarded.eml',
    Buffer.from(
      'From: a@x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nSee below\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: c@x\r\n\r\nInner words\r\n--b--\r\n',
    ),
    { 'attachment-1.eml': 'From: c@x\n\nInner words\n' },
  ],
]

describe('odd files', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it.each(odd)('%s', async (name, content, found) => {
    const parsed = await parser.parseBytes(name, content).catch((error: { reason?: string }) => error)
    if (typeof found === 'string') {
      expect(parsed).toMatchObject({ reason: found })
      return
    }
    if (!('units' in parsed)) throw parsed
    expect(parsed.units.map(({ text }) => text)).toEqual(found)
    checkLocators(parsed, Buffer.from(content as Uint8Array))
  })

  it.each(archives)('%s', async (name, content, found) => {
    const { attachments } = await parser.parseBytes(name, content)
    expect(Object.fromEntries(attachments.map((one) => [one.name, Buffer.from(one.bytes).toString()]))).toMatchObject(
      found,
    )
  })
})
