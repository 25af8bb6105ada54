import { element, elements, type XmlElement } from './parse-xml.ts'

export interface Level {
  /** As WordprocessingML names it, or as OpenDocument does by an example. */
  format: string
  /** `%1.%2)`: the numbers of the levels stand in it. */
  text: string
  start: number
  /** All numbers in it are decimal ones. */
  isLegal?: boolean
  /** The style whose paragraphs are of this level. */
  style?: string | undefined
}

export interface List {
  levels: ReadonlyMap<number, Level>
  /** Lists of one definition count on. */
  counts: number[]
}

/** The numbers of a document's lists, as Word writes them before their paragraphs. */
export interface ListNumbers {
  /**
   * What stands before the next paragraph of a list, such as `2.1.`; `-` for a bullet, empty for none. `restart`: the
   * number that it begins to count from again.
   */
  next(list: string, level: number, restart?: number): string
  /** The level of a list whose paragraphs have this style. */
  levelOf(list: string, style: string): number | undefined
}

const value = (parent: XmlElement | undefined, ...path: string[]) => element(parent, ...path)?.attributes['w:val']

const maxLevels = 9

/** Of WordprocessingML (ECMA-376 part 1, 17.9). */
export function listNumbers(root: XmlElement | null): ListNumbers {
  const definitions = new Map<string, List>()
  const written = root ? elements(root, 'abstractNum') : []
  for (const definition of written) {
    // The levels stand in the definition that a style of lists names.
    const style = value(definition, 'numStyleLink')
    const own = style === undefined ? definition : written.find((other) => value(other, 'styleLink') === style)
    const levels = own ? levelsOf(own) : new Map<number, Level>()
    definitions.set(definition.attributes['w:abstractNumId'] ?? '', { levels, counts: [] })
  }
  const lists = new Map<string, List>()
  for (const list of root ? elements(root, 'num') : []) {
    const own = definitions.get(value(list, 'abstractNumId') ?? '')
    if (!own) continue
    const changes = elements(list, 'lvlOverride')
    const levels = new Map([...own.levels, ...changes.flatMap((change) => changed(change, own.levels))])
    lists.set(list.attributes['w:numId'] ?? '', changes.length > 0 ? { levels, counts: [] } : own)
  }
  return countLists(lists)
}

/** Lists by their id. */
export function countLists(lists: ReadonlyMap<string, List>): ListNumbers {
  return {
    levelOf: (id, style) =>
      lists
        .get(id)
        ?.levels.entries()
        .find(([, level]) => level.style === style)?.[0],
    next: (id, at, restart) => {
      const list = lists.get(id)
      const level = list?.levels.get(at)
      if (!list || !level || at >= maxLevels) return ''
      list.counts[at] = restart ?? (list.counts[at] ?? level.start - 1) + 1
      list.counts.length = at + 1
      if (level.format === 'bullet') return '-'
      if (level.format === 'none') return ''
      return level.text.replace(/%([1-9])/g, (_, digit: string) => {
        const [place, shown] = [Number(digit) - 1, list.levels.get(Number(digit) - 1)]
        const format = level.isLegal ? 'decimal' : shown?.format
        return shown ? numeral(list.counts[place] ?? shown.start, format ?? '') : ''
      })
    },
  }
}

const levelsOf = (parent: XmlElement): Map<number, Level> =>
  new Map(
    elements(parent, 'lvl').map((level) => [
      Number(level.attributes['w:ilvl']),
      {
        format: value(level, 'numFmt') ?? 'decimal',
        text: value(level, 'lvlText') ?? '',
        start: Number(value(level, 'start') ?? 1),
        isLegal: element(level, 'isLgl') !== undefined,
        style: value(level, 'pStyle'),
      },
    ]),
  )

function changed(change: XmlElement, levels: ReadonlyMap<number, Level>): [number, Level][] {
  const at = Number(change.attributes['w:ilvl'])
  const level = [...levelsOf(change).values()][0] ?? levels.get(at)
  return level ? [[at, { ...level, start: Number(value(change, 'startOverride') ?? level.start) }]] : []
}

const romans = 'm1000 cm900 d500 cd400 c100 xc90 l50 xl40 x10 ix9 v5 iv4 i1'.split(' ')

function roman(count: number): string {
  let text = ''
  for (const step of romans) {
    const [, letters = '', worth] = /^(\D+)(\d+)$/.exec(step) ?? []
    for (; count >= Number(worth); count -= Number(worth)) text += letters
  }
  return text
}

/** a to z, then aa, bb. */
const letter = (count: number) => String.fromCharCode(97 + ((count - 1) % 26)).repeat(Math.ceil(count / 26))

const endings = ['th', 'st', 'nd', 'rd']
const ordinal = (count: number) =>
  `${count}${(Math.floor((count % 100) / 10) === 1 ? undefined : endings[count % 10]) ?? 'th'}`

/** `format` is that of a level. */
export function numeral(count: number, format: string): string {
  if (count < 1 || count > 5_000) return String(count)
  if (format === 'ordinal') return ordinal(count)
  if (format === 'lowerRoman' || format === 'i') return roman(count)
  if (format === 'upperRoman' || format === 'I') return roman(count).toUpperCase()
  if (format === 'lowerLetter' || format === 'a') return letter(count)
  if (format === 'upperLetter' || format === 'A') return letter(count).toUpperCase()
  return format === 'decimalZero' && count < 10 ? `0${count}` : String(count)
}
