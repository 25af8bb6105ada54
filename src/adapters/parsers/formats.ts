import type { Format, OpenFile } from '../../ports/format.ts'
import { type FileFormat, ParseError } from '../../ports/parser.ts'
import { isCompound, isTnef, openCompound } from './ole.ts'
import { isUtf32 } from './open-file.ts'
import { pictureMime } from './picture-size.ts'
import { isMbox, isTar } from './read-archive.ts'
import { languages } from './read-code.ts'
import { isLog, readLog } from './read-log.ts'
import { openArchive, readDirectory } from './zip.ts'

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

/** Office documents that are one file of XML. */
const officeXml: readonly Format[] = [
  {
    name: 'a Word document in one file of XML',
    extensions: [],
    kind: 'text',
    claims: (file) => firstTag(file) === '<pkg:package' && (file.headText ?? '').includes('="Word.Document"'),
    load: docx.load,
  },
  {
    name: 'a document of Word 2003 in XML',
    extensions: [],
    kind: 'text',
    claims: (file) => firstTag(file) === '<w:worddocument',
    load: async () => (await import('./read-docx.ts')).readWordXml,
  },
  {
    name: 'a workbook of Excel 2003 in XML',
    extensions: [],
    kind: 'text',
    claims: (file) =>
      /^<(ss:)?workbook$/.test(firstTag(file)) &&
      (file.headText ?? '').includes('urn:schemas-microsoft-com:office:spreadsheet'),
    load: async () => (await import('./read-spreadsheet.ts')).readSpreadsheet,
  },
]

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
  claims: async (file) => (await isPackage('xl/')(file)) && !(await hasEntry('xl/workbook.bin')(file)),
  load: async () => (await import('./read-xlsx.ts')).readXlsx,
}

/** The names of the main streams of a compound file (MS-CFB 2.2), in lower case: programs read them in any. */
async function streamsOf(file: OpenFile): Promise<readonly string[]> {
  if (!isCompound(file.head) || file.head.length < 512) return []
  const known = streams.get(file)
  if (known) return known
  const found = mainStreams(await file.readAll()).catch(async () => {
    // Damaged, it still has a directory.
    const header = Buffer.from(file.head.subarray(0, 512))
    const sectorBytes = 2 ** Math.min(12, header.readUInt16LE(0x1e))
    const start = await file.read((header.readUInt32LE(0x30) + 1) * sectorBytes, 4_096)
    return Buffer.from(start).toString('utf16le').toLowerCase().split('\0')
  })
  streams.set(file, found)
  return found
}

const streams = new WeakMap<OpenFile, Promise<readonly string[]>>()

const mainStreams = async (bytes: Uint8Array) =>
  (await openCompound(bytes)).paths.flatMap((path) => /^\/([^/]+)$/.exec(path)?.[1]?.toLowerCase() ?? [])

const hasStream =
  (...names: readonly string[]) =>
  async (file: OpenFile) => {
    const found = await streamsOf(file)
    return names.some((name) => found.includes(name))
  }

/** Word, Excel and PowerPoint put a document with a password into a compound file (MS-OFFCRYPTO 2.3.4.4). */
const lockedOffice: Format = {
  name: 'an Office document with a password',
  extensions: [],
  kind: 'binary',
  claims: hasStream('encryptedpackage'),
  load: async () => () => {
    throw new ParseError('locked', 'The document opens only with a password.')
  },
}

/** Office before 2007, and messages of Outlook. */
const oldOffice: readonly Format[] = [
  {
    name: 'a message of Outlook',
    extensions: ['msg', 'oft'],
    kind: 'binary',
    claims: hasStream('__nameid_version1.0', '__properties_version1.0'),
    load: async () => (await import('./read-outlook.ts')).readMsg,
  },
  {
    name: 'a Word document before 2007',
    extensions: ['doc', 'dot'],
    kind: 'binary',
    claims: hasStream('worddocument'),
    load: async () => (await import('./read-doc.ts')).readDoc,
  },
  {
    name: 'a PowerPoint presentation before 2007',
    extensions: ['ppt', 'pps', 'pot'],
    kind: 'binary',
    claims: hasStream('powerpoint document'),
    load: async () => (await import('./read-ppt.ts')).readPpt,
  },
  {
    name: 'an Excel workbook before 2007, or a binary one',
    extensions: ['xls', 'xlt', 'xlsb'],
    kind: 'binary',
    claims: async (file) =>
      (await hasStream('workbook', 'book')(file)) || isOldBook(file) || (await hasEntry('xl/workbook.bin')(file)),
    load: async () => (await import('./read-spreadsheet.ts')).readSpreadsheet,
  },
]

/** Excel before 5.0 wrote the records themselves: the first one says so. */
const isOldBook = ({ head }: OpenFile) =>
  head[0] === 9 &&
  [0, 2, 4].includes(head[1] ?? 1) &&
  (head[2] === 4 || head[2] === 6) &&
  head[3] === 0 &&
  head[5] === 0

/** Whether a file is a ZIP archive with this entry. */
const hasEntry = (entry: string) => async (file: OpenFile) =>
  ((await readDirectory(file)) ?? []).some(({ name }) => name === entry)

/** A package of OpenDocument has an entry that says what it is, or at least a list of its parts. */
const isOdf =
  (...kinds: readonly string[]) =>
  async (file: OpenFile) => {
    if (firstTag(file) === '<office:document')
      return kinds.includes(/opendocument\.([a-z]+)/.exec(file.headText ?? '')?.[1] ?? '')
    const entry = (await hasEntry('mimetype')(file)) ? 'mimetype' : 'META-INF/manifest.xml'
    if (!(await hasEntry(entry)(file))) return false
    const said = Buffer.from((await (await openArchive(file)).read(entry)) ?? []).toString('latin1')
    // The first part of the list is the package itself.
    const [, kind = ''] = /application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(said) ?? []
    return kinds.includes(kind)
  }

const openOffice: readonly Format[] = [
  {
    name: 'an OpenDocument text',
    extensions: ['odt', 'ott', 'fodt'],
    kind: 'binary',
    claims: isOdf('text'),
    load: async () => (await import('./read-odf.ts')).readOdt,
  },
  {
    name: 'an OpenDocument spreadsheet',
    extensions: ['ods', 'ots', 'fods'],
    kind: 'binary',
    claims: isOdf('spreadsheet'),
    load: async () => (await import('./read-ods.ts')).readOds,
  },
  {
    name: 'an OpenDocument presentation',
    extensions: ['odp', 'otp', 'odg', 'fodp'],
    kind: 'binary',
    claims: isOdf('presentation', 'graphics'),
    load: async () => (await import('./read-odf.ts')).readOdp,
  },
]

/** What is read where no other format claims a file, or has its extension. */
const archives: readonly Format[] = [
  {
    name: 'a part of an archive',
    extensions: [],
    kind: 'binary',
    claims: isSplit,
    load: async () => () => {
      throw new ParseError(
        'unsupported',
        'The file is one of several parts of an archive. Only whole archives are read.',
      )
    },
  },
  {
    name: 'a ZIP archive',
    extensions: ['zip'],
    kind: 'binary',
    claims: async (file) => (await readDirectory(file)) !== null && !isNamed(file),
    load: async () => (await import('./read-archive.ts')).readZip,
  },
  {
    name: 'a tar archive',
    extensions: ['tar'],
    kind: 'binary',
    claims: ({ head }) => isTar(head),
    load: async () => (await import('./read-archive.ts')).readTar,
  },
  {
    name: 'a gzip archive',
    extensions: ['gz', 'tgz'],
    kind: 'binary',
    claims: ({ head }) => head[0] === 0x1f && head[1] === 0x8b && head[2] === 8,
    load: async () => (await import('./read-archive.ts')).readGzip,
  },
]

/** Whether a file is one of the parts of an archive: a mark begins the first, the end of the last counts them. */
async function isSplit(file: OpenFile): Promise<boolean> {
  if (Buffer.from(file.head.subarray(0, 8)).toString('latin1') === 'PK\x07\x08PK\x03\x04') return true
  if (file.extension !== 'zip' || file.size < 22) return false
  const end = Buffer.from(await file.read(file.size - 22, 22))
  return end.readUInt32LE(0) === 0x06054b50 && end.readUInt16LE(4) > 0
}

const isNamed = ({ extension }: OpenFile) =>
  !archives.some(({ extensions }) => extensions.includes(extension)) &&
  formats.some(({ extensions, kind }) => kind === 'binary' && extensions.includes(extension))

const dataFiles: readonly Format[] = [
  {
    name: 'a Parquet file',
    extensions: ['parquet'],
    kind: 'binary',
    claims: ({ head }) => Buffer.from(head.subarray(0, 4)).toString('latin1') === 'PAR1',
    load: async () => (await import('./read-rows.ts')).readParquet,
  },
  {
    name: 'an SQLite database',
    extensions: ['sqlite', 'sqlite3', 'db', 'gpkg'],
    kind: 'binary',
    claims: ({ head }) => Buffer.from(head.subarray(0, 16)).toString('latin1') === 'SQLite format 3\0',
    load: async () => (await import('./read-rows.ts')).readSqlite,
  },
]

const rtf: Format = {
  name: 'a document in Rich Text Format',
  extensions: ['rtf'],
  kind: 'binary',
  claims: ({ head }) => Buffer.from(head.subarray(0, 200)).toString('latin1').trimStart().startsWith('{\\rtf'),
  load: async () => (await import('./read-rtf.ts')).readRtf,
}

const tnef: Format = {
  name: 'a message packed by Outlook',
  extensions: ['tnef'],
  kind: 'binary',
  claims: ({ head }) => isTnef(head),
  load: async () => (await import('./read-outlook.ts')).readTnef,
}

const mbox: Format = {
  name: 'a mail store',
  extensions: ['mbox', 'mbx'],
  kind: 'text',
  claims: isMbox,
  load: async () => (await import('./read-archive.ts')).readMbox,
}

const epub: Format = {
  name: 'an EPUB book',
  extensions: ['epub'],
  kind: 'binary',
  claims: hasEntry('META-INF/container.xml'),
  load: async () => (await import('./read-epub.ts')).readEpub,
}

const field = (name: string) => new RegExp(`^${name}:`, 'im')

/** A message as it is sent (RFC 5322): it begins with header fields, among them who wrote it. */
const email: Format = {
  name: 'an e-mail message',
  extensions: ['eml'],
  kind: 'text',
  claims: ({ headText, extension }) => {
    const start = headText ?? ''
    if (!/^[A-Za-z][\w-]*:[ \t]?\S/.test(start)) return false
    const [fields = ''] = start.split(/\r?\n\r?\n/, 1)
    // A page that a browser or Word saved as one file.
    if (field('MIME-Version').test(fields) && /^Content-Type:\s*multipart\/related/im.test(fields)) return true
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

const picture: Format = {
  name: 'a picture',
  extensions: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'heic', 'heif', 'jxl', 'bmp', 'tif', 'tiff'],
  kind: 'binary',
  claims: ({ head }) => pictureMime(head) !== null,
  load: async () => (await import('./read-media.ts')).readPicture,
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
  load: async () => (await import('./read-media.ts')).readRecording,
}

/** The first tag of XML or of a page, after comments; a page's document type too. */
function firstTag({ headText }: OpenFile): string {
  let start = (headText ?? '').replace(/^\s*(<\?[^>]*>\s*)*/, '')
  for (;;) {
    const end = start.startsWith('<!--')
      ? start.indexOf('-->') + 3
      : /^<!doctype\s+svg/i.test(start)
        ? start.indexOf('>') + 1
        : 0
    if (end < 4) return /^<[^\s>]*(\s+html\b)?/.exec(start)?.[0].toLowerCase() ?? ''
    start = start.slice(end).trimStart()
  }
}

const isHtml = (file: OpenFile): boolean => /^<(!doctype\s+html|html)$/.test(firstTag(file))

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
    extensions: ['xml', 'rss', 'atom', 'xsd', 'xsl', 'xslt', 'kml', 'gpx'],
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
  ...oldOffice,
  ...openOffice,
  ...dataFiles,
  rtf,
  picture,
  recording,
  tnef,
  mbox,
  email,
  notebook,
  ...officeXml,
  ...textFormats,
  ...archives,
]

/** What is read, as far as an extension tells. */
export const fileFormats: readonly FileFormat[] = formats
  .filter(({ extensions }) => extensions.length > 0)
  .map(({ name, extensions }) => ({ name, extensions }))

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
