import type { Format, OpenFile } from '../../ports/format.ts'
import { type FileFormat, ParseError } from '../../ports/parser.ts'
import { docx, lockedOffice, officeXml, oldOffice, openOffice, pptx, xlsx } from './office-formats.ts'
import { isTnef } from './ole.ts'
import { isUtf32 } from './open-file.ts'
import { pictureMime } from './picture-size.ts'
import { isMbox, isTar } from './read-archive.ts'
import { plainText, textFormats } from './text-formats.ts'
import { hasEntry, readDirectory } from './zip.ts'

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
  // Pandoc writes parts of a document, which have no header.
  claims: ({ head, extension }) =>
    Buffer.from(head.subarray(0, 200))
      .toString('latin1')
      .trimStart()
      .startsWith(extension === 'rtf' ? '{\\' : '{\\rtf'),
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
  // An attachment may stand in it as it is.
  kind: 'binary',
  claims: ({ headText, head, extension }) => {
    const start = headText ?? Buffer.from(head).toString('latin1')
    if (extension === 'eml') return /^(From [^\n]*\n)?[A-Za-z][\w-]*:/.test(start)
    if (!/^[A-Za-z][\w-]*:[ \t]?\S/.test(start)) return false
    const [fields = ''] = start.split(/\r?\n\r?\n/, 1)
    // Signed parts of a message, or a page that a browser or Word saved as one file.
    if (/^Content-Type:\s*multipart\/[\s\S]*\bboundary\s*=/im.test(fields)) return true
    return (
      field('From').test(fields) && ['Received', 'Message-ID', 'MIME-Version'].some((name) => field(name).test(fields))
    )
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

/**
 * The formats. Content decides first: the first one that claims a file reads it. Then the extension does. A new format
 * is a definition, and a reader in a file of its own.
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
