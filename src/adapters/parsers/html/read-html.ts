import { parse } from 'parse5'
import type { OpenFile, Structure } from '../../../ports/format.ts'
import { TextBuilder } from '../document/text-builder.ts'
import { addHtml } from './html-text.ts'
import { collapsed, descendants, textOf } from './nodes.ts'
import { picturesIn } from './pictures.ts'

/** A page: its visible text, with the pictures that stand in it as `data:` addresses. */
export async function readHtml(file: OpenFile): Promise<Structure> {
  const { text: source, charset } = await file.readText()
  const page = parse(source)
  const out = new TextBuilder()
  const title = descendants(page).find(({ tagName }) => tagName === 'title')
  const hasHeading = descendants(page).some(({ tagName }) => tagName === 'h1')
  if (title && !hasHeading) out.enter(0, collapsed(textOf(title)))
  addHtml(page, out)
  const { text, blocks } = out
  return { mime: 'text/html', text, textIsFile: false, charset, blocks, units: [], attachments: picturesIn(page) }
}
