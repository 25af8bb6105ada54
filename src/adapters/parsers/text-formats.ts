import type { Format, OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { languages } from './read-code.ts'
import { isLog, readLog } from './read-log.ts'

/** The first tag of XML or of a page, after comments; a page's document type too. */
export function firstTag({ headText }: OpenFile): string {
  let start = (headText ?? '').replace(/^\s*(<\?[^>]*>\s*)*/, '')
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

const isHtml = (file: OpenFile): boolean => /^<(!doctype\s+html|html)$/.test(firstTag(file))

/** `xpacket` begins properties of pictures that stand in a file of their own. */
const isXml = ({ headText }: OpenFile): boolean => /^\s*<\?(xml|xpacket)\s/.test(headText ?? '')

const start = ({ headText }: OpenFile) => (headText ?? '').slice(0, 200)

const isVtt = (file: OpenFile): boolean => /^WEBVTT(?!\S)/.test(start(file))

const isSrt = (file: OpenFile): boolean =>
  /^\s*\d+\s*\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d{1,2}:/.test(start(file))

/** Reads every text that is not in another format. */
export const plainText: Format = {
  name: 'a text',
  kind: 'text',
  extensions: ['txt', 'text'],
  load: async () => (await import('./read-text.ts')).readText,
}

/** Languages of printers and spreadsheets, whose signs nobody reads. */
const isForPrograms = (file: OpenFile): boolean => /^(%!PS|ID;P|TABLE\r?\n0,1\r?\n)/.test(start(file))

/** The formats that are text. */
export const textFormats: readonly Format[] = [
  {
    name: 'a text for programs',
    kind: 'text',
    extensions: [],
    claims: isForPrograms,
    load: async () => () => {
      throw new ParseError('unsupported', 'PostScript, SYLK and DIF are not supported.')
    },
  },
  {
    name: 'an HTML page',
    kind: 'text',
    extensions: ['html', 'htm', 'xhtml'],
    claims: isHtml,
    load: async () => (await import('./read-html.ts')).readHtml,
  },
  {
    name: 'Markdown',
    kind: 'text',
    extensions: ['md', 'markdown', 'mdx'],
    load: async () => (await import('./read-markdown.ts')).readMarkdown,
  },
  {
    name: 'reStructuredText',
    kind: 'text',
    extensions: ['rst', 'rest'],
    load: async () => (await import('./read-text.ts')).readRst,
  },
  {
    name: 'Org',
    kind: 'text',
    extensions: ['org'],
    load: async () => (await import('./read-org.ts')).readOrg,
  },
  {
    name: 'AsciiDoc',
    kind: 'text',
    extensions: ['adoc', 'asciidoc', 'asc'],
    load: async () => (await import('./read-asciidoc.ts')).readAsciidoc,
  },
  {
    name: 'TeX',
    kind: 'text',
    extensions: ['tex', 'latex', 'ltx'],
    load: async () => (await import('./read-tex.ts')).readTex,
  },
  {
    name: 'a WebVTT file',
    kind: 'text',
    extensions: ['vtt'],
    claims: isVtt,
    load: async () => (await import('./read-subtitles.ts')).readVtt,
  },
  {
    name: 'a SubRip file',
    kind: 'text',
    extensions: ['srt'],
    claims: isSrt,
    load: async () => (await import('./read-subtitles.ts')).readSrt,
  },
  {
    name: 'a log',
    kind: 'text',
    extensions: ['log'],
    claims: isLog,
    load: async () => readLog,
  },
  {
    name: 'a table as text',
    kind: 'text',
    extensions: ['csv', 'tsv', 'tab', 'psv'],
    load: async () => (await import('./read-csv.ts')).readCsv,
  },
  {
    name: 'JSON',
    kind: 'text',
    extensions: ['json', 'geojson', 'webmanifest'],
    load: async () => (await import('./read-json.ts')).readJson,
  },
  {
    name: 'lines of JSON',
    kind: 'text',
    extensions: ['jsonl', 'ndjson', 'ldjson', 'jsonlines'],
    load: async () => (await import('./read-json.ts')).readJsonl,
  },
  {
    name: 'an SVG drawing',
    kind: 'text',
    extensions: ['svg'],
    claims: (file) => /^<(svg:)?svg$/.test(firstTag(file)),
    load: async () => (await import('./read-xml.ts')).readSvg,
  },
  {
    name: 'contacts or a calendar',
    kind: 'text',
    extensions: ['vcf', 'vcard', 'ics', 'ical', 'ifb'],
    claims: (file) => /^\s*BEGIN:(VCARD|VCALENDAR)\s/i.test(start(file)),
    load: async () => (await import('./read-cards.ts')).readCards,
  },
  {
    name: 'XML',
    kind: 'text',
    extensions: ['xml', 'rss', 'atom', 'xsd', 'xsl', 'xslt', 'kml', 'gpx', 'xmp', 'plist', 'fb2', 'rdf', 'xliff'],
    claims: isXml,
    load: async () => (await import('./read-xml.ts')).readXml,
  },
  {
    name: 'YAML',
    kind: 'text',
    extensions: ['yaml', 'yml'],
    load: async () => (await import('./read-text.ts')).readYaml,
  },
  {
    name: 'a program',
    kind: 'text',
    extensions: [...languages.keys()],
    load: async () => (await import('./read-code.ts')).readCode,
  },
  plainText,
]
