import type { OpenFile, Structure } from '../../../ports/format.ts'
import { markdownBlocks } from './markdown-blocks.ts'

export async function readMarkdown(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const blocks = markdownBlocks(text)
  return { mime: 'text/markdown', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}
