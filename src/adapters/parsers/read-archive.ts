import { gunzipSync } from 'node:zlib'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { openArchive } from './archive.ts'

/** The files in an archive are documents of their own: here are their paths and bytes. */
const members = (mime: string, found: readonly Attachment[]): Structure => {
  if (found.length > parseLimits.archiveEntries)
    throw new ParseError('too_large', 'The archive has more than 10,000 entries.')
  const attachments = found.flatMap(({ name, bytes }) => {
    const path = pathOf(name)
    return path === null || bytes.length === 0 ? [] : [{ name: path, bytes }]
  })
  return { mime, text: null, textIsFile: false, charset: null, blocks: [], units: [], attachments, isArchive: true }
}

/** A path that stays below the archive. Null for what programs leave there for themselves. */
function pathOf(name: string): string | null {
  const parts = name
    .replace(/^[A-Za-z]:/, '')
    .split(/[/\\]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
  const isOwn =
    parts.some((part) => part === '__MACOSX' || part === '.git') || /^(\.DS_Store|Thumbs\.db)$/.test(parts.at(-1) ?? '')
  return parts.length === 0 || isOwn || /[/\\]$/.test(name) ? null : parts.join('/')
}

export async function readZip(file: OpenFile): Promise<Structure> {
  const archive = await openArchive(file)
  const found: Attachment[] = []
  try {
    for (const name of archive.names)
      if (pathOf(name) !== null) found.push({ name, bytes: (await archive.read(name)) ?? new Uint8Array() })
  } catch (error) {
    if (error instanceof ParseError && error.reason === 'locked')
      throw new ParseError('unsupported', 'Archives with a password are not supported.')
    throw error
  }
  return members('application/zip', found)
}

/** One packed file, or an archive of files. */
export async function readGzip(file: OpenFile): Promise<Structure> {
  const bytes = unpacked(await file.readAll())
  const name = file.name.replace(/^.*[/\\#]/, '').replace(/\.(t?)gz$/i, (_, tar: string) => (tar === '' ? '' : '.tar'))
  return isTar(bytes)
    ? members('application/gzip', tarMembers(bytes))
    : members('application/gzip', [{ name: name === '' ? 'content' : name, bytes }])
}

function unpacked(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: parseLimits.unpackedBytes })
  } catch (error) {
    if (error instanceof RangeError) throw new ParseError('too_large', 'The file unpacks to more than 256 MiB.')
    throw new ParseError('malformed', 'The archive is damaged.')
  }
}

export const readTar = async (file: OpenFile): Promise<Structure> =>
  members('application/x-tar', tarMembers(Buffer.from(await file.readAll())))

const blockBytes = 512

/** Whether bytes begin with a header of POSIX or GNU tar. */
export const isTar = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar' && head.length >= blockBytes

/** The regular files (POSIX.1-2017, pax, "ustar Interchange Format"), with the long names of pax and GNU. */
function tarMembers(data: Buffer): Attachment[] {
  const found: Attachment[] = []
  let long = ''
  for (let at = 0; at + blockBytes <= data.length && data[at] !== 0; ) {
    const header = data.subarray(at, at + blockBytes)
    const text = (from: number, to: number) => header.toString('utf8', from, to).replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 136).trim() || '0', 8)
    const start = at + blockBytes
    if (!isTar(header) || !(size >= 0) || start + size > data.length)
      throw new ParseError('malformed', 'The archive is damaged.')
    const kind = text(156, 157)
    const content = data.subarray(start, start + size)
    if (kind === 'L') long = content.toString('utf8').replace(/\0.*$/s, '')
    else if (kind === 'x') long = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1] ?? ''
    else {
      const prefix = text(345, 500)
      const name = long || (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`)
      if ((kind === '' || kind === '0') && size > 0) found.push({ name, bytes: content })
      if (found.length > parseLimits.archiveEntries) break
      long = ''
    }
    at = start + Math.ceil(size / blockBytes) * blockBytes
  }
  return found
}

/** Each message of a mail store (RFC 4155) is a document of its own, in the order of the file. */
export async function readMbox(file: OpenFile): Promise<Structure> {
  const data = Buffer.from(await file.readAll())
  const found: Attachment[] = []
  for (let start = 0; start < data.length && found.length <= parseLimits.archiveEntries; ) {
    const next = nextMessage(data, start + 1)
    const message = data.subarray(data.indexOf('\n', start) + 1, next)
    found.push({ name: `message-${found.length + 1}.eml`, bytes: unquoted(message) })
    start = next
  }
  return members('application/mbox', found)
}

/** The next line `From …` after an empty line that header fields follow. */
function nextMessage(data: Buffer, from: number): number {
  for (let at = data.indexOf('\nFrom ', from); at !== -1; at = data.indexOf('\nFrom ', at + 1)) {
    const before = data.toString('latin1', Math.max(0, at - 2), at)
    if (/\n\r?$/.test(before) && isMessage(data.toString('latin1', at + 1, at + 2_000))) return at + 1
  }
  return data.length
}

const isMessage = (start: string) => /^From [^\n]*\n[A-Za-z][\w-]*:/.test(start)

export const isMbox = ({ headText }: OpenFile): boolean => isMessage((headText ?? '').slice(0, 2_000))

/** Lines that begin with `From ` have a mark before it. */
const unquoted = (message: Buffer): Buffer =>
  message.includes('\n>From ')
    ? Buffer.from(message.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1')
    : message
