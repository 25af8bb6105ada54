import { element, elements, type XmlElement } from './parse-xml.ts'

/** What the styles of a Word document say of its paragraphs and runs, by their ids. */
export interface StyleFacts {
  /** Levels of headings, from 1. */
  levels: ReadonlyMap<string, number>
  /** Those that hide. */
  hidden: ReadonlySet<string>
  /** The list (`numId`) and the level in it (`ilvl`). */
  lists: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export const value = (parent: XmlElement | undefined, ...path: string[]) =>
  element(parent, ...path)?.attributes['w:val']

/** What styles say, by their ids, with what they inherit. A document's title is a heading of level 1 too. */
export function styleFacts(styles: XmlElement | null): StyleFacts {
  const all = new Map(
    (styles ? elements(styles, 'style') : []).map((style) => [style.attributes['w:styleId'] ?? '', style]),
  )
  /** What the nearest style says that says something. */
  const inherited = <T>(id: string, said: (style: XmlElement) => T | undefined): T | undefined => {
    let style = all.get(id)
    for (let steps = 0; style && steps < 10; steps++) {
      const found = said(style)
      if (found !== undefined) return found
      style = all.get(value(style, 'basedOn') ?? '')
    }
    return undefined
  }
  const mapOf = <T>(said: (style: XmlElement) => T | undefined) =>
    new Map(
      [...all.keys()].flatMap((id) => {
        const found = inherited(id, said)
        return found === undefined ? [] : [[id, found] as const]
      }),
    )
  const hidden = mapOf((style) => isOn(element(style, 'rPr', 'vanish')))
  return {
    levels: mapOf((style) => {
      const name = value(style, 'name') ?? ''
      const named = /^heading (\d)$/i.exec(name)?.[1] ?? (/^title$/i.test(name) ? '1' : undefined)
      return named ? Number(named) : (levelOf(value(style, 'pPr', 'outlineLvl')) ?? undefined)
    }),
    hidden: new Set([...hidden].flatMap(([id, isHidden]) => (isHidden ? [id] : []))),
    lists: new Map(['numId', 'ilvl'].map((name) => [name, mapOf((style) => value(style, 'pPr', 'numPr', name))])),
  }
}

/** Whether a property is set; undefined where it is not there. */
export const isOn = (property: XmlElement | undefined) =>
  property && !['0', 'false', 'off'].includes(property.attributes['w:val'] ?? '')

/** Of an outline level as the file counts them: from 0, and 9 for body text. */
export function levelOf(outline: string | undefined): number | null {
  return outline === undefined || Number(outline) > 8 ? null : Number(outline) + 1
}
