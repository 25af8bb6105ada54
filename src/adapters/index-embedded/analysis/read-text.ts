import { analyse } from './analyse.ts'
import { languageOfText } from './languages/detect-language.ts'
import { bareKey, stemKey, writtenIn } from './lexemes.ts'
import { type Morphology, morphologyOf } from './morphology.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** What marking words of a query needs to know of a text, whatever the query. */
export interface ReadText {
  text: string
  /** ISO 639, or null if it is unknown. */
  language: string | null
  words: readonly ReadWord[]
}

/** A word, and its position in the text: UTF-16 offsets, `end` exclusive. */
interface ReadWord {
  start: number
  end: number
  isStop: boolean
  /** By which a query finds it. */
  keys: readonly string[]
}

/** @param given the language of the text: ISO 639, or null to tell it from the text */
export function readText(text: string, given: string | null): ReadText {
  const language = given ?? languageOfText(text)
  const morphology = morphologyOf(language)
  const words = analyse(text).map((token): ReadWord => {
    const { word, start, end } = token
    const written = writtenIn(token, text, morphology)
    const isStop = written === null && stopWords.has(word)
    return { start, end, isStop, keys: isStop ? [word] : keysOf(word, written, morphology) }
  })
  return { text, language, words }
}

function keysOf(word: string, written: string | null, morphology: Morphology | null): string[] {
  if (morphology === null || written === null) return [stem(word)]
  const own = stemKey(written, morphology)
  return morphology.keepsMarks ? [own, bareKey(written, morphology)] : [own]
}

/** After this much text, all is read again. UTF-16 units; what is known of it takes about twenty times as many bytes. */
const maxKept = 2 ** 18

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
