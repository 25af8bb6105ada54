/** The lines of a stream of UTF-8, without their ends. Only a line feed ends one: JSON may contain other separators. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    for (const next of rest) {
      yield parts.join('').replace(/\r$/, '')
      parts = [next]
    }
  }
  const last = parts.join('')
  if (last !== '') yield last
}
