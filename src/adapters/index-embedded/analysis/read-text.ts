import { analyse } from './analyse.ts'
import { languageOfText } from './languages/detect-language.ts'
import { bareKey, plainKey, stemKey, writtenIn } from './lexemes.ts'
import { type Morphology, morphologyOf } from './morphology.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/**
 * What marking words of a query needs to know of a text, whatever the query. Words are numbered; flat lists take a tenth of
 * the memory of an object for each.
 */
export interface ReadText {
  text: string
  /** ISO 639, or null if it is unknown. */
  language: string | null
  /** By word: its position in the text, UTF-16 offsets, `ends` exclusive; and 1 for a stop word. */
  starts: Uint32Array
  ends: Uint32Array
  stops: Uint8Array
  /** By word: the key by which a query finds it. */
  keys: readonly string[]
  /** By word: the key of its spelling without marks; null in a language where marks do not distinguish words. */
  bareKeys: readonly string[] | null
}

/** @param given the language of the text: ISO 639, or null to tell it from the text */
export function readText(text: string, given: string | null): ReadText {
  const language = given ?? languageOfText(text)
  const morphology = morphologyOf(language)
  const tokens = analyse(text)
  const { length } = tokens
  const [starts, ends, stops] = [new Uint32Array(length), new Uint32Array(length), new Uint8Array(length)]
  const keys: string[] = []
  const bareKeys: string[] | null = morphology?.keepsMarks === true ? [] : null
  for (const [i, token] of tokens.entries()) {
    const { word, start, end } = token
    const written = writtenIn(token, text, morphology)
    const isStop = written === null && stopWords.has(word)
    starts[i] = start
    ends[i] = end
    stops[i] = isStop ? 1 : 0
    const key = isStop ? plainKey(word) : keyOf(word, written, morphology)
    keys.push(key)
    bareKeys?.push(morphology === null || written === null ? key : bareKey(written, morphology))
  }
  return { text, language, starts, ends, stops, keys, bareKeys }
}

const keyOf = (word: string, written: string | null, morphology: Morphology | null): string =>
  morphology === null || written === null ? plainKey(stem(word)) : stemKey(written, morphology)

/** After this much text, all is read again. UTF-16 units; what is known of it takes five to ten times as many bytes. */
const maxKept = 2 ** 20

/** Reads the text of each Unit once, as long as the Unit itself is kept in memory. */
export function createTextReader(): (unit: object, text: string, given: string | null) => ReadText {
  let known = new WeakMap<object, ReadText>()
  let kept = 0
  return (unit, text, given) => {
    const found = known.get(unit)
    if (found !== undefined) return found
    if (kept > maxKept) {
      known = new WeakMap()
      kept = 0
    }
    const read = readText(text, given)
    known.set(unit, read)
    kept += text.length
    return read
  }
}
