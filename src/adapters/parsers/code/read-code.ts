import type { OpenFile, Structure } from '../../../ports/format.ts'
import { lineCounter } from '../lines/lines.ts'
import { languages } from './languages.ts'
import { topLevelBlocks } from './top-level-blocks.ts'

/** A program in chunks of its declarations. */
export async function readCode(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const lineOf = lineCounter(text)
  return {
    mime: languages.get(file.extension) ?? 'text/x-script',
    ...{ text, textIsFile: true, charset, blocks: topLevelBlocks(text), units: [], attachments: [] },
    locate: ({ start, end }) => ({ locator: { kind: 'line_range', start: lineOf(start), end: lineOf(end - 1) } }),
  }
}
