import type { Paragraph, Properties } from './doc-properties.ts'
import type { Level, List } from './list-numbers.ts'

/** How Word numbers a level (MS-OSHARED 2.2.1.3). */
const formats: Readonly<Record<number, string>> = {
  ...'decimal upperRoman lowerRoman upperLetter lowerLetter ordinal cardinalText ordinalText hex chicago'.split(' '),
  ...{ 10: 'ideographDigital', 11: 'japaneseCounting', 12: 'aiueo', 13: 'iroha', 18: 'decimalEnclosedCircle' },
  ...{ 22: 'decimalZero', 23: 'bullet', 24: 'ganada', 25: 'chosung', 33: 'taiwaneseCounting', 37: 'chineseCounting' },
  ...{ 39: 'chineseCounting', 45: 'hebrew1', 46: 'arabicAlpha', 47: 'hebrew2', 48: 'arabicAbjad', 53: 'thaiLetters' },
  ...{ 57: 'numberInDash', 58: 'russianLower', 59: 'russianUpper', 255: 'none' },
}

/** Where the definitions of lists stand, and their uses. */
const [listTable, listUses] = [0x2e2, 0x2ea]

/** Lists by the number that paragraphs name (MS-DOC 2.9.136, 2.9.134). */
export function listsOf(tables: Buffer, main: Buffer): Map<string, List> {
  const usesAt = main.readUInt32LE(listUses)
  const uses = tables.subarray(usesAt, usesAt + main.readUInt32LE(listUses + 4))
  const start = main.readUInt32LE(listTable)
  const count = main.readUInt32LE(listTable + 4) < 2 ? 0 : tables.readUInt16LE(start)
  let at = start + 2 + 28 * count
  const levelAt = (): Level => {
    const [first, format] = [tables.readInt32LE(at), tables.readUInt8(at + 4)]
    at += 28 + tables.readUInt8(at + 24) + tables.readUInt8(at + 25)
    const text = tables.toString('utf16le', at + 2, at + 2 + 2 * tables.readUInt16LE(at))
    at += 2 + 2 * tables.readUInt16LE(at)
    return {
      start: first,
      format: formats[format] ?? 'decimal',
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the numbers of the levels stand so in it.
      text: text.replace(/[\0-\x08]/g, (level) => `%${level.charCodeAt(0) + 1}`),
    }
  }
  const definitions = new Map<number, List>()
  for (let i = 0; i < count; i++) {
    const one = start + 2 + 28 * i
    const isSimple = (tables.readUInt8(one + 26) & 1) === 1
    const levels = Array.from({ length: isSimple ? 1 : 9 }, levelAt)
    definitions.set(tables.readInt32LE(one), { levels: new Map(levels.entries()), counts: [] })
  }
  const found = new Map<string, List>()
  const useCount = uses.length < 4 ? 0 : uses.readUInt32LE(0)
  at = usesAt + 4 + 16 * useCount
  for (let i = 0; i < useCount; i++) {
    const own = definitions.get(uses.readInt32LE(4 + 16 * i))
    const changes = uses.readUInt8(4 + 16 * i + 12)
    at += 4
    const levels = new Map(own?.levels)
    for (let n = 0; n < changes; n++) {
      const [first, flags] = [tables.readInt32LE(at), tables.readUInt8(at + 4)]
      at += 8
      const level = (flags & 0x20) !== 0 ? levelAt() : levels.get(flags & 0xf)
      if (level)
        levels.set(flags & 0xf, (flags & 0x10) !== 0 && (flags & 0x20) === 0 ? { ...level, start: first } : level)
    }
    if (own) found.set(String(i + 1), changes > 0 ? { levels, counts: [] } : own)
  }
  return found
}

/** Levels above it are of other kinds: bullets, and paragraphs of a list without a number. */
const [maxOutline, unnumbered] = [9, 12]

/**
 * Lists before Word 97, where each paragraph says itself how its number looks. One without a number ends the list. By the
 * start of the paragraph: its list, and the level in it.
 */
export function oldLists(paragraphs: readonly Properties[], read: (paragraph: Properties) => Paragraph) {
  const lists = new Map<string, List>()
  const places = new Map<number, Pick<Paragraph, 'list' | 'level'>>()
  let levels = new Map<number, Level>()
  const begin = () => {
    levels = new Map()
    lists.set(String(lists.size + 1), { levels, counts: [] })
  }
  let next = -1
  for (const paragraph of paragraphs) {
    const { numbering, numberLevel } = read(paragraph)
    const isIn = numberLevel > 0 && numberLevel <= unnumbered
    if (!isIn || paragraph.start !== next) begin()
    next = paragraph.end
    if (!isIn || numberLevel === unnumbered || !numbering || numbering.length < 20) continue
    const level = numberLevel > maxOutline ? 0 : numberLevel - 1
    const own = levelOf(numbering, level, levels.get(level - 1))
    const known = levels.get(level)
    // Other signs are another list.
    if (known && (known.format !== own.format || known.text !== own.text)) begin()
    levels.set(level, own)
    places.set(paragraph.start, { list: String(lists.size), level })
  }
  return { lists, places }
}

/** A format, the lengths of the texts before and after the number, flags, the start at byte 10, and from 20 the texts. */
function levelOf(numbering: Buffer, level: number, above: Level | undefined): Level {
  const [format = 0, before = 0, after = 0, flags = 0] = numbering
  const text = numbering.toString('latin1', 20, 20 + before + after)
  const shown = `${text.slice(0, before)}%${level + 1}${text.slice(before)}`
  return {
    start: numbering.readUInt16LE(10),
    // Others than numbers, Roman ones and letters are signs.
    format: format < 8 ? (formats[format] ?? 'decimal') : 'bullet',
    text: (flags & 4) !== 0 && above ? above.text + shown : shown,
  }
}
