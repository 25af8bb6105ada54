import type { Format, OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { readDirectory } from './archive-directory.ts'
import { languages } from './code-languages.ts'
import { isUtf32 } from './decode-text.ts'
import { pictureMime } from './picture-size.ts'
import { isLog, readLog } from './read-log.ts'

/** Whether a file is a package of Office Open XML with parts in this folder. */
const isPackage = (folder: string) => async (file: OpenFile) => {
  const entries = await readDirectory(file)
  const names = (entries ?? []).map(({ name }) => name)
  return names.includes('[Content_Types].xml') && names.some((name) => name.startsWith(folder) && name.endsWith('.xml'))
}

const docx: Format = {
  name: 'a Word document',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  kind: 'binary',
  claims: isPackage('word/'),
  load: async () => (await import('./read-docx.ts')).readDocx,
}

const pptx: Format = {
  name: 'a PowerPoint presentation',
  extensions: ['pptx', 'pptm', 'ppsx', 'potx'],
  kind: 'binary',
  claims: isPackage('ppt/'),
  load: async () => (await import('./read-pptx.ts')).readPptx,
}

const xlsx: Format = {
  name: 'an Excel workbook',
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
  kind: 'binary',
  claims: isPackage('xl/'),
  load: async () => (await import('./read-xlsx.ts')).readXlsx,
}

/** The header of a compound file (MS-CFB, 2.2) and the first sector of its directory. */
const mark = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const directoryBytes = 4_096
/** The stream that holds the encrypted package (MS-OFFCRYPTO, 2.3.4.4). */
const stream = Buffer.from('EncryptedPackage', 'utf16le')

/** Word, Excel and PowerPoint put a document with a password into a compound file, as their old formats are. */
const lockedOffice: Format = {
  name: 'an Office document with a password',
  extensions: [],
  kind: 'binary',
  claims: async (file: OpenFile) => {
    const header = Buffer.from(file.head.subarray(0, 512))
    if (header.length < 512 || !header.subarray(0, 8).equals(mark)) return false
    const sectorBytes = 2 ** Math.min(12, header.readUInt16LE(0x1e))
    const directory = (header.readUInt32LE(0x30) + 1) * sectorBytes
    return Buffer.from(await file.read(directory, directoryBytes)).includes(stream)
  },
  load: async () => () => {
    throw new ParseError('locked', 'The document opens only with a password.')
  },
}

const epub: Format = {
  name: 'an EPUB book',
  extensions: ['epub'],
  kind: 'binary',
  claims: async (file) => {
    const entries = await readDirectory(file)
    return (entries ?? []).some(({ name }) => name === 'META-INF/container.xml')
  },
  load: async () => (await import('./read-epub.ts')).readEpub,
}

const field = (name: string) => new RegExp(`^${name}:`, 'im')

/** A message as it is sent (RFC 5322): it begins with header fields, among them who wrote it. */
const email: Format = {
  name: 'an e-mail message',
  extensions: ['eml'],
  kind: 'text',
  claims: ({ head, extension }) => {
    const start = Buffer.from(head).toString('latin1')
    if (!/^[A-Za-z][\w-]*:[ \t]?\S/.test(start)) return false
    const [fields = ''] = start.split(/\r?\n\r?\n/, 1)
    if (!field('From').test(fields)) return false
    return extension === 'eml' || ['Received', 'Message-ID', 'MIME-Version'].some((name) => field(name).test(fields))
  },
  load: async () => (await import('./read-email.ts')).readEmail,
}

const notebook: Format = {
  name: 'a notebook',
  extensions: ['ipynb'],
  kind: 'text',
  load: async () => (await import('./read-notebook.ts')).readNotebook,
}

const pdf: Format = {
  name: 'a PDF document',
  extensions: ['pdf'],
  kind: 'binary',
  // Readers of PDF accept other bytes before the mark.
  claims: ({ head }) => Buffer.from(head.subarray(0, 1024)).includes('%PDF-'),
  load: async () => (await import('./pdf/read-pdf.ts')).readPdf,
}

/** SVG is not one of them: it is XML, and read as such. */
const picture: Format = {
  name: 'a picture',
  extensions: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'tif', 'tiff'],
  kind: 'binary',
  claims: ({ head }) => pictureMime(head) !== null,
  load: async () => (await import('./read-picture.ts')).readPicture,
}

/** What the first bytes of a recording are, by its container. */
const marks = [
  /^ID3/,
  /^\xff[\xe2-\xe7\xf2-\xf7\xfa\xfb]/,
  /^\xff[\xf0\xf1\xf8\xf9]/,
  /^RIFF.{4}(WAVE|AVI )/s,
  /^fLaC/,
  /^OggS/,
  /^FORM.{4}AIF[FC]/s,
  /^.E\xdf\xa3/s,
  /^.{4}(ftyp(?!heic|heix|mif1|msf1)|moov|mdat)/s,
]

const recording: Format = {
  name: 'a recording',
  extensions: [
    'mp3',
    'wav',
    'flac',
    'ogg',
    'oga',
    'opus',
    'm4a',
    'aac',
    'aiff',
    'mp4',
    'm4v',
    'mov',
    'webm',
    'mkv',
    'ogv',
  ],
  kind: 'binary',
  claims: ({ head }) => {
    const start = Buffer.from(head.subarray(0, 32)).toString('latin1')
    return marks.some((mark) => mark.test(start))
  },
  load: async () => (await import('./read-recording.ts')).readRecording,
}

/** Whether a file begins as a page does, after comments. */
function isHtml({ headText }: OpenFile): boolean {
  let start = (headText ?? '').replace(/^\s*(<\?xml[^>]*>\s*)?/, '')
  while (start.startsWith('<!--') && start.includes('-->')) start = start.slice(start.indexOf('-->') + 3).trimStart()
  return /^<(!doctype\s+html|html)[\s>]/i.test(start)
}

const isXml = ({ headText }: OpenFile): boolean => /^\s*<\?xml\s/.test(headText ?? '')

const start = ({ headText }: OpenFile) => (headText ?? '').slice(0, 200)

const isVtt = (file: OpenFile): boolean => /^WEBVTT(?!\S)/.test(start(file))

const isSrt = (file: OpenFile): boolean =>
  /^\s*\d+\s*\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d{1,2}:/.test(start(file))

/** Reads every text that is not in another format. */
const plainText: Format = {
  name: 'a text',
  kind: 'text',
  extensions: ['txt', 'text'],
  load: async () => (await import('./read-text.ts')).readText,
}

/** The formats that are text. */
const textFormats: readonly Format[] = [
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
    load: async () => (await import('./read-rst.ts')).readRst,
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
    load: async () => (await import('./read-jsonl.ts')).readJsonl,
  },
  {
    name: 'XML',
    kind: 'text',
    extensions: ['xml', 'svg', 'rss', 'atom', 'xsd', 'xsl', 'xslt', 'kml', 'gpx'],
    claims: isXml,
    load: async () => (await import('./read-xml.ts')).readXml,
  },
  {
    name: 'YAML',
    kind: 'text',
    extensions: ['yaml', 'yml'],
    load: async () => (await import('./read-yaml.ts')).readYaml,
  },
  {
    name: 'a program',
    kind: 'text',
    extensions: [...languages.keys()],
    load: async () => (await import('./read-code.ts')).readCode,
  },
  plainText,
]

/**
 * The formats. Content decides first: the first one that claims a file reads it. Then the extension does. A new format
 * is a definition above, and a reader in a file of its own.
 */
const formats: readonly Format[] = [
  pdf,
  docx,
  pptx,
  xlsx,
  epub,
  lockedOffice,
  picture,
  recording,
  email,
  notebook,
  ...textFormats,
]

/**
 * The format of a file: by content, then by extension. Errors: `malformed` for a file that has a format's extension and
 * can't be one, `unsupported` for other binary files.
 */
export async function findFormat(file: OpenFile): Promise<Format> {
  const readable = file.headText !== null
  for (const format of formats) {
    if (format.kind === 'text' && !readable) continue
    if (await format.claims?.(file)) return format
  }
  if (isUtf32(file.head)) throw new ParseError('unsupported', 'The file is in UTF-32. UTF-8 and UTF-16 are read.')
  const named = formats.find(({ extensions }) => extensions.includes(file.extension))
  if (named && (named.kind === 'binary' || !readable)) {
    throw new ParseError('malformed', `The file is named like ${named.name} and isn't one.`)
  }
  if (!readable) throw new ParseError('unsupported', 'Files of this type are not supported.')
  return named ?? plainText
}
