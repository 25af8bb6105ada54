import type { OpenFile, Structure } from '../../ports/format.ts'
import { formulaText } from './formula.ts'
import { numeral } from './list-numbers.ts'
import {
  addGraphic,
  filesIn,
  openPackage,
  type Package,
  partsOf,
  type Related,
  type Relation,
  written,
} from './ooxml.ts'
import { descendants, element, elements, textOf, type XmlElement } from './parse-xml.ts'
import { type Cell, oneLine, TextBuilder } from './text-builder.ts'

const mime = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

/**
 * The text of a presentation, slide by slide: its shapes, charts, notes and comments. `page` is the slide's number. What
 * stands on every slide comes once, at the end.
 */
export async function readPptx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const presentation = await source.xml(source.main)
  const relations = await source.relations(source.main)
  const out = new TextBuilder()
  const slides: Related[] = []
  const repeated = new Set<string>()
  const layouts = new Set<string>()
  let page = 0
  for (const { attributes } of presentation ? descendants(presentation, 'sldId') : []) {
    const part = relations.find(({ id }) => id === attributes['r:id'])?.part
    page++
    if (part === undefined) continue
    const slide = await source.xml(part)
    const own = await source.relations(part)
    await addSlide(source, slide, own, page, out)
    slides.push([slide, own])
    for (const text of footersIn(slide)) repeated.add(text)
    for (const layout of partsOf(own, 'slideLayout')) layouts.add(layout)
  }
  const masters = new Set<string>()
  for (const layout of layouts)
    for (const part of partsOf(await source.relations(layout), 'slideMaster')) masters.add(part)
  for (const part of [...masters, ...layouts]) for (const text of shownIn(await source.xml(part))) repeated.add(text)
  out.endSections()
  out.metadata = undefined
  out.add([...repeated].join('\n'))
  return out.structure(mime, await filesIn(source, slides), await source.title())
}

async function addSlide(
  source: Package,
  slide: XmlElement | null,
  relations: readonly Relation[],
  page: number,
  out: TextBuilder,
): Promise<void> {
  out.endSections()
  out.metadata = slide?.attributes.show === '0' ? { page, hidden: true } : { page }
  const tree = element(slide ?? undefined, 'cSld', 'spTree')
  const graphics: Graphics = new Map()
  for (const relation of relations) {
    const graphic = new TextBuilder()
    await addGraphic(source, relation, graphic)
    graphics.set(relation.id, graphic)
  }
  if (tree) addShapes(tree, graphics, out)
  // What no shape shows.
  for (const graphic of graphics.values()) out.addAll(graphic)
  for (const relation of relations) await addPart(source, relation, out)
}

/** What charts and diagrams say, by the ids of their relations. */
type Graphics = Map<string, TextBuilder>

async function addPart(source: Package, { type, part }: Relation, out: TextBuilder): Promise<void> {
  if (!['notesSlide', 'comments'].includes(type)) return
  const root = await source.xml(part)
  if (root === null) return
  if (type === 'notesSlide') {
    const notes = descendants(root, 'sp').filter((shape) => descendants(shape, 'ph')[0]?.attributes.type === 'body')
    for (const shape of notes) out.add(shapeText(shape))
  } else {
    for (const comment of descendants(root, 'cm')) {
      const texts = [...descendants(comment, 'text'), ...descendants(comment, 't')]
      out.add(texts.map(textOf).join('\n'))
    }
  }
}

/** Numbers, dates and footers that every slide repeats. */
const onEverySlide = new Set(['sldNum', 'dt', 'ftr', 'hdr'])

const shapesOf = (part: XmlElement | null) => (part ? descendants(part, 'sp') : [])

const footersIn = (slide: XmlElement | null) =>
  shapesOf(slide)
    .filter((shape) => /^(ftr|hdr)$/.test(placeholder(shape) ?? ''))
    .map(shapeText)
    .filter((text) => text !== '')

/** What a layout or a master shows on its slides. Its placeholders say only what to write there. */
const shownIn = (layout: XmlElement | null) =>
  shapesOf(layout)
    .filter((shape) => !element(shape, 'nvSpPr', 'nvPr', 'ph'))
    .map(shapeText)
    .filter((text) => text !== '')

/** Adds the shapes of a slide in their order; its title is a heading. */
function addShapes(tree: XmlElement, graphics: Graphics, out: TextBuilder): void {
  const shapes = elements(tree)
  const title = shapes.find((shape) => /^(ctrT|t)itle$/.test(placeholder(shape) ?? ''))
  const text = title ? oneLine(shapeText(title)) : ''
  if (text !== '') out.addHeading(1, text)
  for (const shape of shapes) if (shape !== title) addShape(shape, graphics, out)
}

function addShape(shape: XmlElement, graphics: Graphics, out: TextBuilder): void {
  if (shape.name === 'grpSp') for (const inner of elements(shape)) addShape(inner, graphics, out)
  else if (shape.name === 'AlternateContent') {
    // In place of a formula there is a picture of it.
    const formula = elements(shape, 'Choice').find(({ attributes }) => attributes.Requires === 'a14')
    const choice = formula ?? element(shape, 'Fallback') ?? element(shape, 'Choice')
    for (const inner of choice ? elements(choice) : []) addShape(inner, graphics, out)
  } else if (shape.name === 'graphicFrame') {
    for (const table of descendants(shape, 'tbl')) out.addTable(elements(table, 'tr').map(cellsOf))
    for (const { attributes } of [...descendants(shape, 'chart'), ...descendants(shape, 'relIds')]) {
      const id = attributes['r:id'] ?? attributes['r:dm'] ?? ''
      const graphic = graphics.get(id)
      if (graphic) out.addAll(graphic)
      graphics.delete(id)
    }
  } else if (shape.name === 'pic') out.add(alternative(shape))
  else if (shape.name === 'sp' && !onEverySlide.has(placeholder(shape) ?? '')) out.add(shapeText(shape))
}

/** The paragraphs of a shape, a line each. */
function shapeText(shape: XmlElement): string {
  const body = element(shape, 'txBody')
  return body ? paragraphs(body).join('\n') : ''
}

/** Places that a merged cell takes beside its first are in the file too, without text. */
const cellsOf = (row: XmlElement): Cell[] =>
  elements(row, 'tc')
    .filter(({ attributes: { hMerge, vMerge } }) => !isTrue(hMerge) && !isTrue(vMerge))
    .map((cell) => {
      const { gridSpan = '1', rowSpan = '1' } = cell.attributes
      const body = element(cell, 'txBody')
      return {
        text: body ? paragraphs(body).join(' ') : '',
        columns: Number(gridSpan) || 1,
        rows: Number(rowSpan) || 1,
      }
    })

const isTrue = (value: string | undefined) => value === '1' || value === 'true'

function paragraphs(body: XmlElement): string[] {
  const mark = listMarks()
  return elements(body, 'p')
    .map((paragraph) => {
      const text = lineOf(paragraph).trim()
      return text === '' ? '' : mark(paragraph) + text
    })
    .filter((line) => line !== '')
}

const lineOf = (parent: XmlElement): string =>
  elements(parent)
    .map((child) => {
      if (child.name === 'br') return '\n'
      return child.name === 't' ? textOf(child) : (formulaText(child, lineOf) ?? lineOf(child))
    })
    .join('')

const formats: Readonly<Record<string, string>> = {
  ...{ arabic: '1', alphaLc: 'a', alphaUc: 'A', romanLc: 'i', romanUc: 'I' },
}
const around: Readonly<Record<string, readonly [string, string]>> = {
  ...{ Period: ['', '. '], ParenR: ['', ') '], ParenBoth: ['(', ') '], Plain: ['', ' '] },
}

/** What stands before the next paragraph of a shape: its number (ECMA-376 part 1, 21.1.2.4.1), by level. */
function listMarks(): (paragraph: XmlElement) => string {
  let open: { type: string; count: number }[] = []
  return (paragraph) => {
    const properties = element(paragraph, 'pPr')
    const { type = '', startAt = '1' } = element(properties, 'buAutoNum')?.attributes ?? {}
    const level = Number(properties?.attributes.lvl ?? 0)
    const [, kind = '', end = ''] = /^([a-z]+(?:Lc|Uc)?)(Period|ParenR|ParenBoth|Plain)$/.exec(type) ?? []
    const [before, after] = around[end] ?? []
    const list = open[level]
    open = open.slice(0, level)
    if (before === undefined || !formats[kind]) return ''
    const count = list?.type === type ? list.count + 1 : Number(startAt)
    open[level] = { type, count }
    return before + numeral(count, formats[kind]) + after
  }
}

/** The kind of a shape that the layout of the slide places. */
function placeholder(shape: XmlElement): string | undefined {
  return element(shape, 'nvSpPr', 'nvPr', 'ph')?.attributes.type
}

function alternative(picture: XmlElement): string {
  const description = written(element(picture, 'nvPicPr', 'cNvPr')?.attributes.descr)
  return description === '' ? '' : `[${description}]`
}
