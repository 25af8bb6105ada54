import type { Block, OpenFile, Structure } from '../../ports/format.ts'

export async function readText(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const whole: Block = { kind: 'prose', start: 0, end: text.length, headings: [] }
  return { mime: 'text/plain', text, textIsFile: true, charset, blocks: [whole], units: [], attachments: [] }
}
