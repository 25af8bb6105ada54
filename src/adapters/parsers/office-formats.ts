import type { Format, OpenFile } from '../../ports/format.ts'
import { isCompound, openCompound } from './ole.ts'
import { binary, firstTag, refused, text } from './text-formats.ts'
import { hasEntry, openArchive, readDirectory } from './zip.ts'

/** Whether a file is a package of Office Open XML with parts in this folder. */
const isPackage = (folder: string) => async (file: OpenFile) => {
  const entries = await readDirectory(file)
  const names = (entries ?? []).map(({ name }) => name)
  return names.includes('[Content_Types].xml') && names.some((name) => name.startsWith(folder) && name.endsWith('.xml'))
}

const readDocx = async () => (await import('./read-docx.ts')).readDocx
const readSpreadsheet = async () => (await import('./read-spreadsheet.ts')).readSpreadsheet

export const ooxml: readonly Format[] = [
  binary('a Word document', 'docx docm dotx dotm', readDocx, isPackage('word/')),
  binary(
    'a PowerPoint presentation',
    'pptx pptm ppsx potx',
    async () => (await import('./read-pptx.ts')).readPptx,
    isPackage('ppt/'),
  ),
  binary(
    'an Excel workbook',
    'xlsx xlsm xltx xltm xlsb',
    async () => (await import('./read-xlsx.ts')).readXlsx,
    async (file) => (await isPackage('xl/')(file)) || (await hasEntry('xl/workbook.bin')(file)),
  ),
]

const begins = (tag: RegExp, mark: string) => (file: OpenFile) =>
  tag.test(firstTag(file)) && (file.headText ?? '').includes(mark)

/** Office documents that are one file of XML. */
export const officeXml: readonly Format[] = [
  text('a Word document in one file of XML', '', readDocx, begins(/^<pkg:package$/, '="Word.Document"')),
  text(
    'a document of Word 2003 in XML',
    '',
    async () => (await import('./read-docx.ts')).readWordXml,
    begins(/^<w:worddocument$/, ''),
  ),
  text(
    'a workbook of Excel 2003 in XML',
    '',
    readSpreadsheet,
    begins(/^<(ss:)?workbook$/, 'urn:schemas-microsoft-com:office:spreadsheet'),
  ),
  text(
    'a workbook of Gnumeric',
    '',
    refused('unsupported', 'Workbooks of Gnumeric are not supported.'),
    begins(/^<(gnm|gmr):workbook$/, ''),
  ),
]

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

/** Excel before 5.0 wrote the records themselves: the first one says so. */
const isOldBook = ({ head }: OpenFile) =>
  head[0] === 9 &&
  [0, 2, 4].includes(head[1] ?? 1) &&
  (head[2] === 4 || head[2] === 6) &&
  head[3] === 0 &&
  head[5] === 0

/** Office before 2007, and messages of Outlook. Documents with a password are in such a file, too (MS-OFFCRYPTO 2.3.4.4). */
export const oldOffice: readonly Format[] = [
  binary(
    'an Office document with a password',
    '',
    refused('locked', 'The document opens only with a password.'),
    hasStream('encryptedpackage'),
  ),
  binary(
    'a message of Outlook',
    'msg oft',
    async () => (await import('./read-outlook.ts')).readMsg,
    hasStream('__nameid_version1.0', '__properties_version1.0'),
  ),
  binary(
    'a Word document before 2007',
    'doc dot',
    async () => (await import('./read-doc.ts')).readDoc,
    hasStream('worddocument'),
  ),
  binary(
    'a PowerPoint presentation before 2007',
    'ppt pps pot',
    async () => (await import('./read-ppt.ts')).readPpt,
    hasStream('powerpoint document'),
  ),
  binary(
    'an Excel workbook before 2007',
    'xls xlt',
    readSpreadsheet,
    async (file) => isOldBook(file) || hasStream('workbook', 'book')(file),
  ),
]

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

export const openOffice: readonly Format[] = [
  binary('an OpenDocument text', 'odt ott fodt', async () => (await import('./read-odf.ts')).readOdt, isOdf('text')),
  binary(
    'an OpenDocument spreadsheet',
    'ods ots fods',
    async () => (await import('./read-ods.ts')).readOds,
    isOdf('spreadsheet'),
  ),
  binary(
    'an OpenDocument presentation',
    'odp otp odg fodp',
    async () => (await import('./read-odf.ts')).readOdp,
    isOdf('presentation', 'graphics'),
  ),
]
