import type { Format, OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { languages } from './read-code.ts'
import { isLog, readLog } from './read-log.ts'

type Load = Format['load']
type Claims = NonNullable<Format['claims']>

/** A row in the table of formats. `extensions`: with spaces between them. */
const formatOf =
  (kind: Format['kind']) =>
  (name: string, extensions: string, load: Load, claims?: Claims): Format => ({
    ...{ name, kind, load, extensions: extensions.split(' ').filter((each) => each !== '') },
    ...(claims && { claims }),
  })

export const text = formatOf('text')
export const binary = formatOf('binary')

/** In place of a reader: the file is of a format that cannot be read. */
export const refused =
  (reason: 'unsupported' | 'locked', detail: string): Load =>
  async () =>
  () => {
    throw new ParseError(reason, detail)
  }

/** The first tag of XML or of a page, after comments and instructions; a page's document type too. */
export function firstTag({ headText }: OpenFile): string {
  let start = withoutInstructions(headText ?? '').replace(/^\s*(<\?[^>]*>\s*)*/, '')
  for (;;) {
    const end = start.startsWith('<!--')
      ? start.indexOf('-->') + 3
      : /^<!doctype\s+svg/i.test(start)
        ? start.indexOf('>') + 1
        : 0
    if (end < 4) return /^<[^\s>]*(\s+html\b)?/i.exec(start)?.[0].toLowerCase() ?? ''
    start = start.slice(end).trimStart()
  }
}

/** A page without what a server fills in: instructions of PHP, and of ASP, JSP, ERB and the like. */
export function withoutInstructions(source: string): string {
  let text = ''
  let from = 0
  for (const { 0: begin, index } of source.matchAll(/<(?:%|\?(?:php\b|=))/gi)) {
    if (index < from) continue
    const mark = begin === '<%' ? '%>' : '?>'
    const end = source.indexOf(mark, index)
    // The last one of PHP needs no end.
    if (end === -1 && mark === '%>') break
    text += source.slice(from, index)
    from = end === -1 ? source.length : end + 2
  }
  return text + source.slice(from)
}

const isHtml = (file: OpenFile): boolean => /^<(!doctype\s+html|html)$/.test(firstTag(file))

/** `xpacket` begins properties of pictures that stand in a file of their own. */
const isXml = ({ headText }: OpenFile): boolean => /^\s*<\?(xml|xpacket)\s/.test(headText ?? '')

const start = ({ headText }: OpenFile) => (headText ?? '').slice(0, 400)

const isVtt = (file: OpenFile): boolean => /^WEBVTT(?!\S)/.test(start(file))

const isSrt = (file: OpenFile): boolean =>
  /^\s*\d+\s*\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d{1,2}:/.test(start(file))

const isSvg = (file: OpenFile): boolean => /^<(svg:)?svg$/.test(firstTag(file))

const isCards = (file: OpenFile): boolean => /^\s*BEGIN:(VCARD|VCALENDAR)\s/i.test(start(file))

/** A page of a manual begins with a request, and has headings. */
const isRoff = ({ headText }: OpenFile): boolean =>
  /^\s*[.'][ \t]*(\\["#]|[A-Za-z]{2}\b)/.test(headText ?? '') && /^\.(TH|SH|Sh|Dd|NH|TL) /m.test(headText ?? '')

/** Reads every text that is not in another format. */
export const plainText = text('a text', 'txt text', async () => (await import('./read-text.ts')).readText)

/** What programs write for programs in signs that nobody reads, by its beginning. */
const forPrograms: readonly RegExp[] = [
  // Printers and plotters, fonts, old spreadsheets.
  ...[/^%!(PS|FontType)/, /^.?IN;(IP|PA|PU|SP)/s, /^(StartFontMetrics|STARTFONT) /, /^(ID;P|TABLE\r?\n0,1\r?\n)/],
  // Pictures, drawings and models as numbers.
  ...[/^P[1-7]\s+(#[^\n]*\n\s*)*\d+\s+\d+\s/, /^\/\* XPM \*\//, /^SIMPLE {2}= /, /^#FIG \d/],
  /^#define (\w+)_width \d+\s+#define \1_height \d+\s/,
  ...[/^(\s*999\r?\n[^\n]*\n)*\s*0\r?\n\s*SECTION\r?\n/, /^.{72}S {6}1\r?\n/, /^ISO-10303-21;/],
  // Bytes as letters: keys, files packed for mail.
  ...[/^-----BEGIN (?!PGP SIGNED)[A-Z\d ]+-----\r?\n/, /^\(This file must be converted with BinHex/],
  ...[/^begin-base64 [0-7]{3,4} \S/, /^begin [0-7]{3,4} [^\n]+\n[ -`]{1,61}\r?\n/],
  /^(?=[^\n]*\d)(?=[^\n]*[a-z])(?=[^\n]*[A-Z])([A-Za-z\d+/]{60,}\r?\n?){3}/,
]

const isForPrograms = (file: OpenFile): boolean => forPrograms.some((mark) => mark.test(start(file)))

/** What no format claims, by content or extension, and begins with a tag: XML without a declaration, a part of a page. */
export const markup = text('a text with tags', '', async () => (await import('./read-xml.ts')).readMarkup)
export const isMarkup = (file: OpenFile): boolean => /^<(!doctype|[a-z][\w:.-]*)$/.test(firstTag(file))

/** The formats that are text. */
export const textFormats: readonly Format[] = [
  text(
    'a text for programs',
    '',
    refused('unsupported', 'The file holds keys, packed bytes, a drawing or another text that only programs read.'),
    isForPrograms,
  ),
  text('an HTML page', 'html htm xhtml', async () => (await import('./read-html.ts')).readHtml, isHtml),
  text('a page of a manual', 'man roff mdoc', async () => (await import('./read-roff.ts')).readRoff, isRoff),
  text('Markdown', 'md markdown mdx', async () => (await import('./read-markdown.ts')).readMarkdown),
  text('reStructuredText', 'rst rest', async () => (await import('./read-text.ts')).readRst),
  text('Org', 'org', async () => (await import('./read-org.ts')).readOrg),
  text('AsciiDoc', 'adoc asciidoc asc', async () => (await import('./read-asciidoc.ts')).readAsciidoc),
  text('TeX', 'tex latex ltx', async () => (await import('./read-tex.ts')).readTex),
  text('a WebVTT file', 'vtt', async () => (await import('./read-subtitles.ts')).readVtt, isVtt),
  text('a SubRip file', 'srt', async () => (await import('./read-subtitles.ts')).readSrt, isSrt),
  text('a log', 'log', async () => readLog, isLog),
  text('a table as text', 'csv tsv tab psv', async () => (await import('./read-csv.ts')).readCsv),
  text('JSON', 'json geojson webmanifest', async () => (await import('./read-json.ts')).readJson),
  text('lines of JSON', 'jsonl ndjson ldjson jsonlines', async () => (await import('./read-json.ts')).readJsonl),
  text('an SVG drawing', 'svg', async () => (await import('./read-xml.ts')).readSvg, isSvg),
  text(
    'contacts or a calendar',
    'vcf vcard ics ical ifb',
    async () => (await import('./read-cards.ts')).readCards,
    isCards,
  ),
  text(
    'XML',
    'xml rss atom xsd xsl xslt kml gpx xmp plist fb2 rdf xliff',
    async () => (await import('./read-xml.ts')).readXml,
    isXml,
  ),
  text('YAML', 'yaml yml', async () => (await import('./read-text.ts')).readYaml),
  text('a program', [...languages.keys()].join(' '), async () => (await import('./read-code.ts')).readCode),
  plainText,
]
