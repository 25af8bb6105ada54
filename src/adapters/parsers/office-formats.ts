import type { Format, OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { isCompound, openCompound } from './ole.ts'
import { firstTag } from './text-formats.ts'
import { hasEntry, openArchive, readDirectory } from './zip.ts'

/** Whether a file is a package of Office Open XML with parts in this folder. */
const isPackage = (folder: string) => async (file: OpenFile) => {
  const entries = await readDirectory(file)
  const names = (entries ?? []).map(({ name }) => name)
  return names.includes('[Content_Types].xml') && names.some((name) => name.startsWith(folder) && name.endsWith('.xml'))
}

export const docx: Format = {
  name: 'a Word document',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  kind: 'binary',
  claims: isPackage('word/'),
  load: async () => (await import('./read-docx.ts')).readDocx,
}

/** Office documents that are one file of XML. */
export const officeXml: readonly Format[] = [
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

export const pptx: Format = {
  name: 'a PowerPoint presentation',
  extensions: ['pptx', 'pptm', 'ppsx', 'potx'],
  kind: 'binary',
  claims: isPackage('ppt/'),
  load: async () => (await import('./read-pptx.ts')).readPptx,
}

export const xlsx: Format = {
  name: 'an Excel workbook',
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm', 'xlsb'],
  kind: 'binary',
  claims: async (file) => (await isPackage('xl/')(file)) || (await hasEntry('xl/workbook.bin')(file)),
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
export const lockedOffice: Format = {
  name: 'an Office document with a password',
  extensions: [],
  kind: 'binary',
  claims: hasStream('encryptedpackage'),
  load: async () => () => {
    throw new ParseError('locked', 'The document opens only with a password.')
  },
}

/** Office before 2007, and messages of Outlook. */
export const oldOffice: readonly Format[] = [
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
    name: 'an Excel workbook before 2007',
    extensions: ['xls', 'xlt'],
    kind: 'binary',
    claims: async (file) => isOldBook(file) || hasStream('workbook', 'book')(file),
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
