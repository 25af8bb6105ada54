import { written } from '../ooxml/pictures.ts'
import { element, elements, type XmlElement } from '../xml-tree/parse-xml.ts'

export interface ParagraphText {
  text: string
  /** Text boxes that hang on the paragraph: they hold paragraphs of their own. */
  boxes: XmlElement[]
}

const left = new Set([
  'pPr',
  'rPr',
  'del',
  'moveFrom',
  'instrText',
  'delText',
  'fldData',
  'sdtPr',
  'ctrlPr',
  'Fallback',
])

/** What a reader sees of a paragraph; deleted text and the codes of fields are not part of it. */
export function paragraphText(paragraph: XmlElement): ParagraphText {
  const boxes: XmlElement[] = []
  return { text: read(paragraph, boxes).trim(), boxes }
}

function read(parent: XmlElement, boxes: XmlElement[]): string {
  let text = ''
  for (const child of elements(parent)) text += readOne(child, boxes)
  return text
}

function readOne(child: XmlElement, boxes: XmlElement[]): string {
  switch (child.name) {
    case 't':
      return child.children.filter((part) => typeof part === 'string').join('')
    case 'tab':
    case 'ptab':
      return '\t'
    case 'br':
    case 'cr':
      return '\n'
    case 'noBreakHyphen':
      return '-'
    case 'txbxContent':
      boxes.push(child)
      return ''
    case 'AlternateContent':
      return read(element(child, 'Choice') ?? element(child, 'Fallback') ?? child, boxes)
    case 'sym':
    case 'softHyphen':
      return ''
    case 'f':
      return `${part(child, 'num', boxes)}/${part(child, 'den', boxes)}`
    case 'sSup':
      return `${part(child, 'e', boxes)}^${part(child, 'sup', boxes)}`
    case 'sSub':
      return `${part(child, 'e', boxes)}_${part(child, 'sub', boxes)}`
    case 'sSubSup':
      return `${part(child, 'e', boxes)}_${part(child, 'sub', boxes)}^${part(child, 'sup', boxes)}`
    case 'd':
      return `(${elements(child, 'e')
        .map((each) => read(each, boxes))
        .join(', ')})`
    case 'rad':
      return `√(${part(child, 'e', boxes)})`
    case 'nary':
      return `${nary(child)}${part(child, 'sub', boxes)} ${part(child, 'sup', boxes)} ${part(child, 'e', boxes)}`
    case 'docPr':
      return alternative(child)
    default:
      return left.has(child.name) ? '' : read(child, boxes)
  }
}

/** A part of a formula; one of several characters stands in brackets. */
function part(formula: XmlElement, name: string, boxes: XmlElement[]): string {
  const inner = element(formula, name)
  const text = inner ? read(inner, boxes).trim() : ''
  return text.length > 1 && name !== 'e' ? `(${text})` : text
}

const nary = (formula: XmlElement) => element(formula, 'naryPr', 'chr')?.attributes['m:val'] ?? '∫'

/** What an author wrote about a picture. */
function alternative({ attributes }: XmlElement): string {
  const text = written(attributes.descr)
  return text === '' ? '' : ` [${text}] `
}
