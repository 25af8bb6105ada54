import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { embeddedObjects, openCompound } from './ole.ts'
import { addLines, TextBuilder } from './text-builder.ts'

/** A document of Word 97 to 2003: its text, then notes, comments, text boxes, headers and footers. */
export async function readDoc(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const start = (await openCompound(bytes)).stream('/WordDocument')
  if (start === null || start.length < 32) throw damaged()
  const header = Buffer.from(start)
  if (header.readUInt16LE(2) < 193)
    throw new ParseError('unsupported', 'Documents of Word before 97 are not supported.')
  if ((header.readUInt16LE(10) & 0x100) !== 0)
    throw new ParseError('locked', 'The document opens only with a password.')
  const document = await extracted(bytes)
  const out = new TextBuilder()
  // The library's types lack the option that keeps quotation marks as they are.
  const options = { filterUnicode: false, includeFooters: true } as object
  const parts = ['getBody', 'getTextboxes', 'getFootnotes', 'getEndnotes', 'getAnnotations', 'getHeaders'] as const
  for (const part of parts) addLines((document[part] as (options: object) => string).call(document, options), out)
  return out.structure('application/msword', await embeddedObjects(bytes))
}

async function extracted(bytes: Uint8Array) {
  const { default: WordExtractor } = await import('word-extractor')
  try {
    return await new WordExtractor().extract(Buffer.from(bytes))
  } catch {
    throw damaged()
  }
}

const damaged = () => new ParseError('malformed', 'The document is damaged.')
