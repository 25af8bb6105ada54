import type { Format } from '../../ports/format.ts'
import { languages } from './code/languages.ts'
import { isHtml } from './html/is-html.ts'
import { isLog } from './log/is-log.ts'
import { isSrt, isVtt } from './subtitles/is-subtitles.ts'
import { isXml } from './xml/is-xml.ts'

/** Reads every text that is not in another format. */
export const plainText: Format = {
  name: 'a text',
  kind: 'text',
  extensions: ['txt', 'text'],
  load: async () => (await import('./text/read-text.ts')).readText,
}

/** The formats that are text. */
export const textFormats: readonly Format[] = [
  {
    name: 'an HTML page',
    kind: 'text',
    extensions: ['html', 'htm', 'xhtml'],
    claims: isHtml,
    load: async () => (await import('./html/read-html.ts')).readHtml,
  },
  {
    name: 'Markdown',
    kind: 'text',
    extensions: ['md', 'markdown', 'mdx'],
    load: async () => (await import('./markdown/read-markdown.ts')).readMarkdown,
  },
  {
    name: 'reStructuredText',
    kind: 'text',
    extensions: ['rst', 'rest'],
    load: async () => (await import('./rst/read-rst.ts')).readRst,
  },
  {
    name: 'a WebVTT file',
    kind: 'text',
    extensions: ['vtt'],
    claims: isVtt,
    load: async () => (await import('./subtitles/read-subtitles.ts')).readVtt,
  },
  {
    name: 'a SubRip file',
    kind: 'text',
    extensions: ['srt'],
    claims: isSrt,
    load: async () => (await import('./subtitles/read-subtitles.ts')).readSrt,
  },
  {
    name: 'a log',
    kind: 'text',
    extensions: ['log'],
    claims: isLog,
    load: async () => (await import('./log/read-log.ts')).readLog,
  },
  {
    name: 'a table as text',
    kind: 'text',
    extensions: ['csv', 'tsv', 'tab', 'psv'],
    load: async () => (await import('./csv/read-csv.ts')).readCsv,
  },
  {
    name: 'JSON',
    kind: 'text',
    extensions: ['json', 'geojson', 'webmanifest'],
    load: async () => (await import('./json/read-json.ts')).readJson,
  },
  {
    name: 'lines of JSON',
    kind: 'text',
    extensions: ['jsonl', 'ndjson', 'ldjson', 'jsonlines'],
    load: async () => (await import('./jsonl/read-jsonl.ts')).readJsonl,
  },
  {
    name: 'XML',
    kind: 'text',
    extensions: ['xml', 'svg', 'rss', 'atom', 'xsd', 'xsl', 'xslt', 'kml', 'gpx'],
    claims: isXml,
    load: async () => (await import('./xml/read-xml.ts')).readXml,
  },
  {
    name: 'YAML',
    kind: 'text',
    extensions: ['yaml', 'yml'],
    load: async () => (await import('./yaml/read-yaml.ts')).readYaml,
  },
  {
    name: 'a program',
    kind: 'text',
    extensions: [...languages.keys()],
    load: async () => (await import('./code/read-code.ts')).readCode,
  },
  plainText,
]
