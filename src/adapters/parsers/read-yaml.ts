import { Composer, Parser } from 'yaml'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { topLevelBlocks } from './read-code.ts'

/** The tree of a larger file takes too much memory. UTF-16 units. */
const maxChecked = 2 ** 18

/** YAML in chunks of its outermost entries. Its tags and aliases are not resolved. */
export async function readYaml(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  if (text.length <= maxChecked && !isYaml(text)) throw new ParseError('malformed', 'The file is not valid YAML.')
  const blocks = topLevelBlocks(text).map((block) => ({ ...block, kind: 'data' as const, headings: [] }))
  return { mime: 'application/yaml', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}

/** Keys are not compared with each other: that takes time by the square of their number. */
function isYaml(text: string): boolean {
  const composer = new Composer({ logLevel: 'silent', uniqueKeys: false })
  const documents = [...composer.compose(new Parser().parse(text))]
  return documents.every(({ errors }) => errors.length === 0)
}
