const maxText = 200_000
const maxTries = 40
/** Where models write their reasoning. */
const reasoning = /<think>[\s\S]*?<\/think>/giu

/** The first JSON object in a text that `isWanted` accepts; models put prose, fences and reasoning around it. */
export function findJson(text: string, isWanted: (value: unknown) => boolean): unknown {
  const said = text.slice(0, maxText).replace(reasoning, '')
  let from = -1
  for (let tries = 0; tries < maxTries; tries += 1) {
    from = said.indexOf('{', from + 1)
    if (from < 0) return undefined
    const end = closingBrace(said, from)
    if (end === null) continue
    const value = parsed(said.slice(from, end + 1))
    if (isWanted(value)) return value
  }
  return undefined
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

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
