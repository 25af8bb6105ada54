import type { OpenFile } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { markedCharset } from '../file/decode-text.ts'

const pieceBytes = 2 ** 20

/** What a line holds beyond this is left out. */
const maxLine = 64 * 1024

/** A text file's encoding, found without reading it at once. */
export async function charsetOfStream(file: OpenFile): Promise<string> {
  const marked = markedCharset(file.head)
  if (marked !== null) return marked
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let at = 0; at < file.size; at += pieceBytes) {
      const bytes = await file.read(at, pieceBytes)
      if (bytes.includes(0)) throw new ParseError('malformed', 'The file holds binary data where text was expected.')
      decoder.decode(bytes, { stream: true })
    }
    decoder.decode()
    return 'utf-8'
  } catch (error) {
    if (error instanceof ParseError) throw error
    return 'windows-1252'
  }
}

/** The lines of a file of any size, without their breaks. */
export async function* readLines(file: OpenFile, charset: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(charset)
  let rest = ''
  for (let at = 0; at < file.size; at += pieceBytes) {
    const text = rest + decoder.decode(await file.read(at, pieceBytes), { stream: true })
    const lines = text.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLine) rest = rest.slice(0, maxLine)
    yield lines
  }
  rest += decoder.decode()
  if (rest !== '') yield [rest]
}
