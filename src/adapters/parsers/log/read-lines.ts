import { findCharset } from '../../../model/charset.ts'
import type { OpenFile } from '../../../ports/format.ts'
import { binaryContent } from '../file/decode-text.ts'

const pieceBytes = 2 ** 20

/** What a line holds beyond this is left out. */
const maxLine = 64 * 1024

/** A text file's encoding, found without reading it at once. */
export async function charsetOfStream(file: OpenFile): Promise<string> {
  const finder = findCharset()
  for (let at = 0; at < file.size; at += pieceBytes) finder.take(await file.read(at, pieceBytes))
  const charset = finder.charset()
  if (charset === null) throw binaryContent()
  return charset
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
