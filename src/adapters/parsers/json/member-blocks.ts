import type { Block } from '../../../ports/format.ts'

/** The members of the outermost object or array, a block each, with the comma after it. The text is valid JSON. */
export function memberBlocks(text: string): Block[] {
  const ends: number[] = []
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '"') i = endOfString(text, i)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === ',' && depth === 1) ends.push(i + 1)
  }
  return [...ends, text.length].map((end, i) => ({ kind: 'data', start: ends[i - 1] ?? 0, end, headings: [] }))
}

function endOfString(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}
