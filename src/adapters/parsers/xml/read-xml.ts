import type { Block, OpenFile, Structure } from '../../../ports/format.ts'
import { elementEnds } from './element-ends.ts'

/** XML in chunks that end with elements. Nothing is expanded or fetched. */
export async function readXml(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const ends = elementEnds(text)
  const blocks = [...ends, text.length].map(
    (end, i): Block => ({ kind: 'data', start: ends[i - 1] ?? 0, end, headings: [] }),
  )
  return { mime: 'application/xml', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}
