import type { OpenFile, Structure } from '../../../ports/format.ts'
import { TextBuilder } from '../document/text-builder.ts'
import { openPackage, type Package } from '../ooxml/package.ts'
import { attachmentsOf, picturesIn } from '../ooxml/pictures.ts'
import { descendants, element, elements, type XmlElement } from '../xml-tree/parse-xml.ts'
import { addBody } from './body.ts'
import { headingStyles } from './heading-styles.ts'

const mime = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

/** The text of a Word document: its body, then notes, comments, headers and footers, each once. */
export async function readDocx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const relations = await source.relations(source.main)
  const partOf = (type: string) => relations.find((relation) => relation.type === type)?.part
  const styles = partOf('styles')
  const levels = headingStyles(styles === undefined ? null : await source.xml(styles))
  const document = await source.xml(source.main)
  const out = new TextBuilder()
  const body = element(document ?? undefined, 'body')
  if (body) addBody(body, levels, out)
  out.endSections()
  for (const note of await notesOf(source, relations)) addBody(note, new Map(), out)
  const attachments = await attachmentsOf(source, picturesIn(document, relations))
  const { text, blocks } = out
  return { mime, text, blocks, textIsFile: false, charset: null, units: [], attachments }
}

async function notesOf(source: Package, relations: readonly { type: string; part: string }[]): Promise<XmlElement[]> {
  const found: XmlElement[] = []
  for (const type of ['footnotes', 'endnotes', 'comments', 'header', 'footer']) {
    const seen = new Set<string>()
    for (const { part } of relations.filter((relation) => relation.type === type)) {
      const root = await source.xml(part)
      if (root === null) continue
      const notes = type === 'header' || type === 'footer' ? [root] : elements(root).filter(isWritten)
      for (const note of notes) {
        // Each section of a document may repeat them.
        const text = descendants(note, 't')
          .flatMap((run) => run.children)
          .join('')
        if (/\p{L}/u.test(text) && !seen.has(text)) found.push(note)
        seen.add(text)
      }
    }
  }
  return found
}

/** Notes of a type are the lines above them. */
const isWritten = ({ attributes }: XmlElement) =>
  attributes['w:type'] === undefined || attributes['w:type'] === 'normal'
