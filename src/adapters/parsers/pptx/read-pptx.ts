import type { OpenFile, Structure } from '../../../ports/format.ts'
import { TextBuilder } from '../document/text-builder.ts'
import { openPackage, type Package, type Relation } from '../ooxml/package.ts'
import { attachmentsOf, picturesIn, type ShownPicture } from '../ooxml/pictures.ts'
import { descendants, element, textOf } from '../xml-tree/parse-xml.ts'
import { addShapes, shapeText } from './shapes.ts'

const mime = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

/** The text of a presentation, slide by slide: its shapes, charts, notes and comments. `page` is the slide's number. */
export async function readPptx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const presentation = await source.xml(source.main)
  const relations = await source.relations(source.main)
  const out = new TextBuilder()
  const pictures: ShownPicture[] = []
  let page = 0
  for (const { attributes } of presentation ? descendants(presentation, 'sldId') : []) {
    const slide = relations.find(({ id }) => id === attributes['r:id'])
    page++
    if (slide) pictures.push(...(await addSlide(source, slide.part, page, out)))
  }
  const attachments = await attachmentsOf(source, pictures)
  const { text, blocks } = out
  return { mime, text, blocks, textIsFile: false, charset: null, units: [], attachments }
}

/** Returns the pictures that stand on the slide. */
async function addSlide(source: Package, part: string, page: number, out: TextBuilder): Promise<ShownPicture[]> {
  const slide = await source.xml(part)
  const relations = await source.relations(part)
  out.endSections()
  out.metadata = { page }
  const tree = element(slide ?? undefined, 'cSld', 'spTree')
  if (tree) addShapes(tree, out)
  for (const relation of relations) await addPart(source, relation, out)
  return picturesIn(slide, relations)
}

async function addPart(source: Package, { type, part }: Relation, out: TextBuilder): Promise<void> {
  if (!['chart', 'notesSlide', 'comments', 'diagramData'].includes(type)) return
  const root = await source.xml(part)
  if (root === null) return
  if (type === 'chart') {
    // Titles are text; names of series and categories are values that a formula gave.
    const titles = descendants(root, 't').map(textOf).join(' ')
    const names = descendants(root, 'strCache').flatMap((cache) => descendants(cache, 'v').map(textOf))
    out.add([titles, [...new Set(names)].join(', ')].filter((line) => line !== '').join('\n'))
  } else if (type === 'notesSlide') {
    const notes = descendants(root, 'sp').filter((shape) => descendants(shape, 'ph')[0]?.attributes.type === 'body')
    for (const shape of notes) out.add(shapeText(shape))
  } else if (type === 'diagramData') {
    out.add(
      descendants(root, 'p')
        .map((each) => descendants(each, 't').map(textOf).join(''))
        .filter((line) => line !== '')
        .join('\n'),
    )
  } else {
    for (const comment of descendants(root, 'cm')) {
      const texts = [...descendants(comment, 'text'), ...descendants(comment, 't')]
      out.add(texts.map(textOf).join('\n'))
    }
  }
}
