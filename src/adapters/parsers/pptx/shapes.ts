import { oneLine, tableText } from '../document/table-text.ts'
import type { TextBuilder } from '../document/text-builder.ts'
import { descendants, element, elements, type XmlElement } from '../xml-tree/parse-xml.ts'

/** Numbers, dates and footers that every slide repeats. */
const repeated = new Set(['sldNum', 'dt', 'ftr', 'hdr'])

/** Adds the shapes of a slide in their order; its title is a heading. */
export function addShapes(tree: XmlElement, out: TextBuilder): void {
  const shapes = elements(tree)
  const title = shapes.find((shape) => /^(ctrT|t)itle$/.test(placeholder(shape) ?? ''))
  const text = title ? oneLine(shapeText(title)) : ''
  if (text !== '') out.addHeading(1, text)
  for (const shape of shapes) if (shape !== title) addShape(shape, out)
}

function addShape(shape: XmlElement, out: TextBuilder): void {
  if (shape.name === 'grpSp') for (const inner of elements(shape)) addShape(inner, out)
  else if (shape.name === 'AlternateContent') {
    const choice = element(shape, 'Fallback') ?? element(shape, 'Choice')
    for (const inner of choice ? elements(choice) : []) addShape(inner, out)
  } else if (shape.name === 'graphicFrame') {
    for (const table of descendants(shape, 'tbl'))
      out.add(tableText(elements(table, 'tr').map((row) => elements(row, 'tc').map(cellText))), 'table')
  } else if (shape.name === 'pic') out.add(alternative(shape))
  else if (shape.name === 'sp' && !repeated.has(placeholder(shape) ?? '')) out.add(shapeText(shape))
}

/** The paragraphs of a shape, a line each. */
export function shapeText(shape: XmlElement): string {
  const body = element(shape, 'txBody')
  return body ? paragraphs(body).join('\n') : ''
}

const cellText = (cell: XmlElement) => {
  const body = element(cell, 'txBody')
  return body ? paragraphs(body).join(' ') : ''
}

function paragraphs(body: XmlElement): string[] {
  return elements(body, 'p')
    .map((paragraph) => {
      const runs = elements(paragraph).map((run) => {
        if (run.name === 'br') return '\n'
        return descendants(run, 't')
          .flatMap((text) => text.children)
          .join('')
      })
      return runs.join('').trim()
    })
    .filter((line) => line !== '')
}

/** The kind of a shape that the layout of the slide places. */
function placeholder(shape: XmlElement): string | undefined {
  return element(shape, 'nvSpPr', 'nvPr', 'ph')?.attributes.type
}

function alternative(picture: XmlElement): string {
  const description = element(picture, 'nvPicPr', 'cNvPr')?.attributes.descr ?? ''
  return description === '' || /\.\w{3,4}$/.test(description) ? '' : `[${description.replace(/\s+/g, ' ')}]`
}
