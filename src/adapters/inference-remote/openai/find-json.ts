import { parseJson } from '../../../model/json.ts'

const maxText = 100_000
const maxTries = 40
/** Where models write their reasoning. */
const reasoning = /<(\/?)think>/giu

/** The first JSON object in a text that `isWanted` accepts; models put prose, fences and reasoning around it. */
export function findJson(text: string, isWanted: (value: unknown) => boolean): unknown {
  const said = withoutReasoning(text.slice(0, maxText))
  let from = -1
  for (let tries = 0; tries < maxTries; tries += 1) {
    from = said.indexOf('{', from + 1)
    if (from < 0) return undefined
    const end = closingBrace(said, from)
    if (end === null) continue
    const value = parseJson(said.slice(from, end + 1))
    if (isWanted(value)) return value
  }
  return undefined
}

/** In one pass: a text may begin its reasoning any number of times. */
function withoutReasoning(text: string): string {
  let [said, from, open] = ['', 0, -1]
  for (const { 0: mark, 1: slash, index } of text.matchAll(reasoning)) {
    if (slash === '') open = open < 0 ? index : open
    else if (open >= 0) {
      said += text.slice(from, open)
      from = index + mark.length
      open = -1
    }
  }
  return said + text.slice(from)
}

/** Braces in strings do not count. */
function closingBrace(text: string, from: number): number | null {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at += 1
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{') depth += 1
    else if (character === '}') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return null
}
