import { sizeText } from '../../components/words.ts'
import type { UploadOptionsQuery } from './generated/graphql.ts'
import type { NamedFile } from './upload.ts'

type UploadOptions = NonNullable<UploadOptionsQuery['uploadOptions']>

/** A file that was chosen, and what speaks against sending it. */
export interface ChosenFile extends NamedFile {
  /** Null: nothing does. */
  problem: string | null
  /** It can be sent all the same: only the service reads the whole file. */
  mayBeForced: boolean
}

/** What was dropped, folders with all that is below them. Must be called while the event is handled. */
export async function filesOfDrop(transfer: DataTransfer): Promise<NamedFile[]> {
  // Entries are gone after the event; without them, a browser gives files alone.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
  const files = [...transfer.files].map((file) => ({ file, name: file.name }))
  return entries.length === 0 ? files : (await Promise.all(entries.map(filesBelow))).flat()
}

/** Of an input; in that of a folder, each file has its path. */
export const filesOfInput = (files: FileList | null): NamedFile[] =>
  [...(files ?? [])].map((file) => ({ file, name: file.webkitRelativePath || file.name }))

async function filesBelow(entry: FileSystemEntry): Promise<NamedFile[]> {
  const name = entry.fullPath.replace(/^\//, '')
  if (entry.isFile) {
    const file = await new Promise<File>((...done) => (entry as FileSystemFileEntry).file(...done))
    return [{ file, name }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: NamedFile[] = []
  // It gives a part at each call, and none after the last one.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((...done) => reader.readEntries(...done))
    if (part.length === 0) return found
    for (const one of part) found.push(...(await filesBelow(one)))
  }
}

/** Files and folders of programs, which `multimodal-retrieval ingest` leaves out as well. */
export const isHidden = ({ name }: NamedFile): boolean => /(^|\/)\./.test(name)

/** How much of a file is looked at. */
const headBytes = 65_536

/** What speaks against sending a file, before any of it is sent. */
export async function checked(one: NamedFile, { maxBytes, formats }: UploadOptions): Promise<ChosenFile> {
  const { file, name } = one
  const refused = (problem: string, mayBeForced = false): ChosenFile => ({ ...one, problem, mayBeForced })
  if (file.size === 0) return refused('is empty')
  if (file.size > maxBytes) return refused(`is larger than ${sizeText(maxBytes)}`)
  const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  if (formats.some(({ extensions }) => extensions.includes(extension)))
    return { ...one, problem: null, mayBeForced: false }
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  if (isText(head)) return { ...one, problem: null, mayBeForced: false }
  return refused(extension === '' ? 'is in no format that is read' : `.${extension} is not read`, true)
}

/** No text has the byte 0, unless each of its characters takes two bytes: then it begins with a mark. */
const isText = (head: Uint8Array): boolean =>
  !head.includes(0) || (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
