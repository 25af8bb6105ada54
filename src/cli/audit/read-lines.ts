import { isUtf8 } from 'node:buffer'

const newline = 0x0a
const maxBytes = 16 * 2 ** 20

/** Lines of a stream in batches, without their newlines. A line that is not UTF-8 becomes an empty one. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(newline)
    rest = bytes.subarray(end + 1)
    if (rest.length > maxBytes) throw new Error(`a line has more than ${maxBytes} bytes`)
    if (end >= 0) yield linesOf(bytes.subarray(0, end))
  }
  if (rest.length > 0) yield linesOf(rest)
}

const linesOf = (bytes: Buffer): string[] => (isUtf8(bytes) ? bytes.toString().split('\n') : splitBytes(bytes))

/** Decoding invalid UTF-8 would turn different bytes into the same text. */
function splitBytes(bytes: Buffer): string[] {
  const lines: string[] = []
  for (let from = 0; from <= bytes.length; ) {
    const found = bytes.indexOf(newline, from)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(from, end)
    lines.push(isUtf8(line) ? line.toString() : '')
    from = end + 1
  }
  return lines
}
