import type { Format, OpenFile } from '../../ports/format.ts'
import { type FileFormat, ParseError } from '../../ports/parser.ts'
import { officeXml, oldOffice, ooxml, openOffice } from './office-formats.ts'
import { isTnef } from './ole.ts'
import { isUtf32 } from './open-file.ts'
import { pictureMime } from './picture-size.ts'
import { isMbox, isTar } from './read-archive.ts'
import { binary, isMarkup, markup, plainText, refused, text, textFormats } from './text-formats.ts'
import { hasEntry, readDirectory } from './zip.ts'

/** The first bytes, a character each. */
const startOf = ({ head }: OpenFile, bytes: number) => Buffer.from(head.subarray(0, bytes)).toString('latin1')

const startsWith = (mark: string) => (file: OpenFile) => startOf(file, mark.length) === mark

/** What is read where no other format claims a file, or has its extension. */
const archives: readonly Format[] = [
  binary(
    'a part of an archive',
    '',
    refused('unsupported', 'The file is one of several parts of an archive. Only whole archives are read.'),
    isSplit,
  ),
  binary(
    'a ZIP archive',
    'zip',
    async () => (await import('./read-archive.ts')).readZip,
    async (file) => (await readDirectory(file)) !== null && !isNamed(file),
  ),
  binary(
    'a tar archive',
    'tar',
    async () => (await import('./read-archive.ts')).readTar,
    ({ head }) => isTar(head),
  ),
  binary(
    'a gzip archive',
    'gz tgz',
    async () => (await import('./read-archive.ts')).readGzip,
    startsWith('\x1f\x8b\x08'),
  ),
]

/** Whether a file is one of the parts of an archive: a mark begins the first, the end of the last counts them. */
async function isSplit(file: OpenFile): Promise<boolean> {
  if (startOf(file, 8) === 'PK\x07\x08PK\x03\x04') return true
  if (file.extension !== 'zip' || file.size < 22) return false
  const end = Buffer.from(await file.read(file.size - 22, 22))
  // ZIP64 may have that number elsewhere, and 65,535 here.
  return end.readUInt32LE(0) === 0x06054b50 && end.readUInt16LE(4) % 0xffff > 0
}

const isNamed = ({ extension }: OpenFile) =>
  !archives.some(({ extensions }) => extensions.includes(extension)) &&
  formats.some(({ extensions, kind }) => kind === 'binary' && extensions.includes(extension))

/** Pandoc writes parts of a document, which have no header. */
const isRtf = (file: OpenFile) =>
  startOf(file, 200)
    .trimStart()
    .startsWith(file.extension === 'rtf' ? '{\\' : '{\\rtf')

const field = (name: string) => new RegExp(`^${name}:`, 'im')

/** A message as it is sent (RFC 5322): it begins with header fields, among them who wrote it. */
function isEmail({ headText, head, extension }: OpenFile): boolean {
  const start = headText ?? Buffer.from(head).toString('latin1')
  if (extension === 'eml') return /^(From [^\n]*\n)?[A-Za-z][\w-]*:/.test(start)
  if (!/^[A-Za-z][\w-]*:[ \t]?\S/.test(start)) return false
  const [fields = ''] = start.split(/\r?\n\r?\n/, 1)
  // Signed parts of a message, or a page that a browser or Word saved as one file.
  if (/^Content-Type:\s*multipart\/[\s\S]*\bboundary\s*=/im.test(fields)) return true
  return (
    field('From').test(fields) && ['Received', 'Message-ID', 'MIME-Version'].some((name) => field(name).test(fields))
  )
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

/**
 * The formats. Content decides first: the first one that claims a file reads it. Then the extension does. A new format
 * is a row here, and a reader in a file of its own.
 */
const formats: readonly Format[] = [
  // Readers of PDF accept other bytes before the mark.
  binary(
    'a PDF document',
    'pdf',
    async () => (await import('./pdf/read-pdf.ts')).readPdf,
    (file) => startOf(file, 1_024).includes('%PDF-'),
  ),
  ...ooxml,
  binary(
    'an EPUB book',
    'epub',
    async () => (await import('./read-epub.ts')).readEpub,
    hasEntry('META-INF/container.xml'),
  ),
  ...oldOffice,
  ...openOffice,
  binary('a Parquet file', 'parquet', async () => (await import('./read-rows.ts')).readParquet, startsWith('PAR1')),
  binary(
    'an SQLite database',
    'sqlite sqlite3 db gpkg',
    async () => (await import('./read-rows.ts')).readSqlite,
    startsWith('SQLite format 3\0'),
  ),
  binary('a document in Rich Text Format', 'rtf', async () => (await import('./read-rtf.ts')).readRtf, isRtf),
  binary(
    'a picture',
    'png jpg jpeg gif webp avif heic heif jxl bmp tif tiff',
    async () => (await import('./read-media.ts')).readPicture,
    ({ head }) => pictureMime(head) !== null,
  ),
  binary(
    'a recording',
    'mp3 wav flac ogg oga opus m4a aac aiff mp4 m4v mov webm mkv ogv',
    async () => (await import('./read-media.ts')).readRecording,
    (file) => marks.some((mark) => mark.test(startOf(file, 32))),
  ),
  binary(
    'a message packed by Outlook',
    'tnef',
    async () => (await import('./read-outlook.ts')).readTnef,
    ({ head }) => isTnef(head),
  ),
  text('a mail store', 'mbox mbx', async () => (await import('./read-archive.ts')).readMbox, isMbox),
  // An attachment may stand in it as it is.
  binary('an e-mail message', 'eml', async () => (await import('./read-email.ts')).readEmail, isEmail),
  text('a notebook', 'ipynb', async () => (await import('./read-notebook.ts')).readNotebook),
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
  return named ?? (isMarkup(file) ? markup : plainText)
}
