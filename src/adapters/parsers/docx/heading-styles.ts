import { element, elements, type XmlElement } from '../xml-tree/parse-xml.ts'

/** Levels of headings, from 1, by the ids of the styles; a document's title is level 1 too. */
export function headingStyles(styles: XmlElement | null): Map<string, number> {
  const own = new Map<string, { level: number | null; basedOn: string | undefined }>()
  for (const style of styles ? elements(styles, 'style') : []) {
    const id = style.attributes['w:styleId']
    const name = element(style, 'name')?.attributes['w:val'] ?? ''
    const outline = element(style, 'pPr', 'outlineLvl')?.attributes['w:val']
    const named = /^heading (\d)$/i.exec(name)?.[1] ?? (/^title$/i.test(name) ? '1' : null)
    const level = named ? Number(named) : levelOf(outline)
    if (id !== undefined) own.set(id, { level, basedOn: element(style, 'basedOn')?.attributes['w:val'] })
  }
  const levels = new Map<string, number>()
  for (const id of own.keys()) {
    let style = own.get(id)
    for (let steps = 0; style && style.level === null && steps < 10; steps++) style = own.get(style.basedOn ?? '')
    if (style?.level) levels.set(id, style.level)
  }
  return levels
}

/** Of an outline level as the file counts them: from 0, and 9 for body text. */
export function levelOf(outline: string | undefined): number | null {
  return outline === undefined || Number(outline) > 8 ? null : Number(outline) + 1
}
