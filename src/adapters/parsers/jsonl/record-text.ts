import { parseLimits } from '../../../model/parse-limits.ts'
import { ParseError } from '../../../ports/parser.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * A record as lines `key: value`. A key inside of another is `outer.inner`; a list of plain values is one line. Null and
 * empty values say nothing, and are left out.
 */
export function recordText(record: JsonObject): string {
  const lines: string[] = []
  let length = 0
  // A list in place of recursion: a record may be nested as deep as its line is long.
  const open: { key: string; value: unknown }[] = [{ key: '', value: record }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { key, value } = next
    if (Array.isArray(value) && !value.every(isPlain))
      open.push(...value.map((item) => ({ key, value: item })).reverse())
    else if (isPlain(value) || Array.isArray(value)) {
      const shown = [value].flat().map(plainText).filter(Boolean).join(', ')
      if (shown === '') continue
      lines.push(`${key}: ${shown}`)
      length += key.length + shown.length
    } else {
      const members = Object.entries(value as JsonObject).reverse()
      for (const [name, member] of members) open.push({ key: key === '' ? name : `${key}.${name}`, value: member })
    }
    // Long keys of many members would fill the memory.
    if (length > parseLimits.textBytes) throw new ParseError('too_large', 'The file has more than 64 MiB of text.')
  }
  return lines.join('\n')
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

const plainText = (value: unknown): string => (value === null ? '' : String(value).trim())
