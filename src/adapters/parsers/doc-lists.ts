import type { Level, List } from './list-numbers.ts'

/** How Word numbers a level (MS-OSHARED 2.2.1.3). */
const formats: Readonly<Record<number, string>> = {
  ...{
    1: 'upperRoman',
    2: 'lowerRoman',
    3: 'upperLetter',
    4: 'lowerLetter',
    22: 'decimalZero',
    23: 'bullet',
    255: 'none',
  },
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
