import { element, elements, type XmlElement } from './parse-xml.ts'

/**
 * A fraction, a power, a root and the like of Office Math (ECMA-376 part 1, 22.1) in a line; null for other elements.
 * `read`: the text in an element.
 */
export function formulaText(formula: XmlElement, read: (parent: XmlElement) => string): string | null {
  /** A part of several characters stands in brackets. */
  const part = (name: string) => {
    const inner = element(formula, name)
    const text = inner ? read(inner).trim() : ''
    return text.length > 1 && name !== 'e' ? `(${text})` : text
  }
  switch (formula.name) {
    case 'f':
      return `${part('num')}/${part('den')}`
    case 'sSup':
    case 'sSub':
    case 'sSubSup': {
      const [sub, sup] = [part('sub'), part('sup')]
      return part('e') + (sub && `_${sub}`) + (sup && `^${sup}`)
    }
    case 'd':
      return `(${elements(formula, 'e').map(read).join(', ')})`
    case 'rad':
      return `√(${part('e')})`
    case 'nary': {
      const sign = element(formula, 'naryPr', 'chr')?.attributes['m:val'] ?? '∫'
      return `${sign}${part('sub')} ${part('sup')} ${part('e')}`
    }
    default:
      return null
  }
}
