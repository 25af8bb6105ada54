import { type Attachment, ParseError } from '../../ports/parser.ts'

/** A compound file (MS-CFB): streams by their path. */
export interface CompoundFile {
  /** Paths such as `/WordDocument`, in the order of the file. */
  readonly paths: readonly string[]
  stream(path: string): Uint8Array | null
}

/** What the library does not declare. */
interface Reader {
  read(
    bytes: Buffer,
    options: { type: 'buffer' },
  ): {
    FullPaths: string[]
    FileIndex: { content?: ArrayLike<number> }[]
  }
}

const isCompound = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 8)).toString('hex') === 'd0cf11e0a1b11ae1'

/** Errors: ParseError `malformed`. */
async function openCompound(bytes: Uint8Array): Promise<CompoundFile> {
  const { CFB }: { CFB: Reader } = await import('@e965/xlsx')
  try {
    const file = CFB.read(Buffer.from(bytes), { type: 'buffer' })
    const paths = file.FullPaths.map((path) => path.replace(/^[^/]*/, ''))
    const contents = new Map(paths.map((path, i) => [path, file.FileIndex[i]?.content]))
    return {
      paths,
      stream: (path) => {
        const content = contents.get(path)
        return content ? Uint8Array.from(content) : null
      },
    }
  } catch {
    throw new ParseError('malformed', 'The file is damaged.')
  }
}

/** The streams that make a compound file what it is, and the extension of such files. */
const kinds = [
  ['/WordDocument', 'doc'],
  ['/Workbook', 'xls'],
  ['/Book', 'xls'],
  ['/PowerPoint Document', 'ppt'],
  ['/__properties_version1.0', 'msg'],
] as const

const kindOf = ({ paths }: CompoundFile): string | null => kinds.find(([path]) => paths.includes(path))?.[1] ?? null

/** The file in an OLE object (MS-OLEDS 2.3.6): one of another program, or an Office document. Null where there is none. */
export async function embeddedFile(bytes: Uint8Array, part: string): Promise<Attachment | null> {
  if (!isCompound(bytes)) return null
  try {
    const object = await openCompound(bytes)
    const native = object.stream('/\u0001Ole10Native')
    if (native) return nativeFile(Buffer.from(native))
    const whole = object.stream('/Package') ?? object.stream('/CONTENTS')
    const base = part.replace(/\.[^.]*$/, '')
    if (whole) return { name: base, bytes: whole }
    const kind = kindOf(object)
    return kind === null ? null : { name: `${base}.${kind}`, bytes }
  } catch {
    return null
  }
}

/** Two bytes, then its label and its path, each ended by a zero, then where it was, and the file itself. */
function nativeFile(data: Buffer): Attachment | null {
  let at = 6
  const string = () => {
    const end = data.indexOf(0, at)
    if (end === -1) throw new Error('cut off')
    const text = data.toString('latin1', at, end)
    at = end + 1
    return text
  }
  const label = string()
  const path = string()
  at += 4
  at += 4 + data.readUInt32LE(at)
  const size = data.readUInt32LE(at)
  const bytes = data.subarray(at + 4, at + 4 + size)
  const name = (label || path).replace(/^.*[/\\]/, '')
  return bytes.length === 0 || bytes.length < size ? null : { name: name || 'object', bytes }
}
