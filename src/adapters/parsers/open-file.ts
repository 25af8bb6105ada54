import { type FileHandle, open } from 'node:fs/promises'
import { charsetOf, isControl } from '../../model/charset.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import type { DecodedText, OpenFile } from '../../ports/format.ts'
import { type FileToParse, ParseError } from '../../ports/parser.ts'

const headBytes = 64 * 1024

/** Opens a file for as long as `use` runs. Errors: ParseError `empty`, and those of `use`. */
export async function withFile<T>(file: FileToParse, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const handle = await open(file.path)
  try {
    const { size } = await handle.stat()
    if (size === 0) throw new ParseError('empty', 'The file is empty.')
    return await use(openFile(file, handle, size, await readAt(handle, 0, Math.min(size, headBytes))))
  } finally {
    await handle.close()
  }
}

function openFile(file: FileToParse, handle: FileHandle, size: number, head: Uint8Array): OpenFile {
  let decoded: DecodedText | undefined
  const readAll = async () => {
    if (size > parseLimits.unpackedBytes) throw new ParseError('too_large', 'The file is larger than 256 MiB.')
    return readAt(handle, 0, size)
  }
  return {
    ...file,
    extension: /\.([^./\\]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '',
    size,
    head,
    headText: startOfText(head),
    read: (offset, length) => readAt(handle, offset, Math.max(0, Math.min(length, size - offset))),
    readAll,
    readText: async () => {
      if (size > parseLimits.textBytes) throw new ParseError('too_large', 'The file has more than 64 MiB of text.')
      if (decoded) return decoded
      const bytes = await readAll()
      decoded = decodeText(bytes)
      // Gives the memory back now.
      bytes.buffer.transfer(0)
      return decoded
    },
  }
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** Decodes a text file. Errors: `malformed` for what is not text, and for a NUL. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const charset = charsetOf(bytes)
  const text = charset === null ? '\0' : new TextDecoder(charset).decode(bytes)
  if (charset === null || text.includes('\0')) throw binaryContent()
  return { text, charset }
}

export const binaryContent = (): ParseError =>
  new ParseError('malformed', 'The file holds binary data where text was expected.')

/** By its BOM: that of UTF-16 beside a NUL, which no text begins with. */
export const isUtf32 = (head: Uint8Array): boolean =>
  /^(\xff\xfe\0\0|\0\0\xfe\xff)/.test(Buffer.from(head.subarray(0, 4)).toString('latin1'))

/**
 * Records and sound look like letters of some encoding. No text in one begins with a control character, as records do,
 * and in all scripts but a few there are blanks or line breaks between words.
 */
function isGuessed(text: string, charset: string): boolean {
  if (/^(utf|iso-2022)/.test(charset)) return false
  if (Array.from(text.slice(0, 16)).some((character) => isControl(character.charCodeAt(0)))) return true
  const hasBlanks = !/^(shift|euc|gb|big5|windows-874)/.test(charset)
  return hasBlanks && text.length > 400 && (text.match(/\s/g)?.length ?? 0) < text.length / 100
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin and end so.
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g

/** What a terminal shows of a text: without colours, titles of windows and moves of the cursor (ECMA-48). */
export const withoutEscapes = (text: string): string => (text.includes('\u001b') ? text.replace(escapes, '') : text)

/** A file's first bytes as text. Null where they can't be one: binary, or more than hardly a control character. */
function startOfText(head: Uint8Array): string | null {
  const charset = charsetOf(head)
  if (charset === null) return null
  const text = withoutEscapes(new TextDecoder(charset).decode(head, { stream: true }))
  if (isGuessed(text, charset)) return null
  let controls = 0
  for (let i = 0; i < text.length; i++) if (isControl(text.charCodeAt(i))) controls++
  return controls <= text.length / 50 ? text : null
}
