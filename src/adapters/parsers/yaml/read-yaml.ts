import type { OpenFile, Structure } from '../../../ports/format.ts'
import { topLevelBlocks } from '../code/top-level-blocks.ts'

/** YAML in chunks of its outermost entries. Its tags and aliases are not resolved. */
export async function readYaml(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const blocks = topLevelBlocks(text).map((block) => ({ ...block, kind: 'data' as const, headings: [] }))
  return { mime: 'application/yaml', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}
