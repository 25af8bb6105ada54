import type { Highlight } from '../../../ports/indexes/text-index.ts'
import { isUnspaced } from './analyse.ts'
import { fold, foldedOut } from './fold.ts'

/**
 * Where phrases stand in texts: as they are written, but for case, Unicode form, accents, white space and the shape of apostrophes. A
 * phrase begins and ends where words do, and numbers: `1.2` is not in `1.2.3`, `C` not in `C++`. In scripts without spaces it may
 * begin anywhere. Pure.
 */
export function phraseFinder(phrases: readonly string[]): (text: string) => Highlight[][] {
  const patterns = phrases.map(patternOf)
  if (patterns.length === 0) return () => []
  return (text) => {
    const folded = fold(text)
    const { starts, ends } = folded.spans ?? {}
    return patterns.map(({ pattern, forms }) => {
      const found: Highlight[] = []
      pattern.lastIndex = 0
      for (let match = pattern.exec(folded.text); match !== null; match = pattern.exec(folded.text)) {
        const last = match.index + match[0].length - 1
        const place = { start: starts?.[match.index] ?? match.index, end: ends?.[last] ?? last + 1 }
        const isFound =
          begins(folded.text, match.index) &&
          stops(folded.text, last + 1) &&
          formsOf(text.slice(place.start, place.end)).some((form) => forms.includes(form))
        if (isFound) found.push(place)
        else pattern.lastIndex = match.index + 1
      }
      return found
    })
  }
}

const apostrophes = /['’‘ʼ]/gu

/** What may be a phrase, and the forms that are. */
function patternOf(phrase: string): { pattern: RegExp; forms: readonly string[] } {
  const forms = formsOf(phrase.trim())
  const escaped = (forms.at(-1) ?? '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  // A phrase that folds to nothing stands nowhere.
  if (escaped === '') return { pattern: /(?!)/gu, forms }
  const loose = escaped.replaceAll("'", "['’‘ʼ]").replaceAll(' ', '\\s+')
  return { pattern: new RegExp(loose.replace(/([aou])e/g, '$1e?').replaceAll('aa', 'aa?'), 'gu'), forms }
}

/** As it is written, and with letters that are also written as two. */
function formsOf(phrase: string): string[] {
  const out = foldedOut(phrase)
  return [fold(phrase).text, ...(out === null ? [] : [out])].map((form) =>
    form.replace(apostrophes, "'").replace(/\s+/gu, ' '),
  )
}

const ofWord = /[\p{L}\p{N}\p{M}_]/u
const mark = /\p{M}/u
const digit = /\p{N}/u
const point = /[.,]/

const before = (text: string, at: number): string => /[\s\S]$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? ''
const after = (text: string, at: number): string => {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** Whether two neighbouring characters are of one word. */
const joined = (one: string, other: string): boolean =>
  mark.test(other) || (ofWord.test(one) && ofWord.test(other) && !isUnspaced(one) && !isUnspaced(other))

function begins(text: string, at: number): boolean {
  const [previous, first] = [before(text, at), after(text, at)]
  if (previous === '') return true
  if (joined(previous, first)) return false
  return !(digit.test(first) && point.test(previous) && digit.test(before(text, at - 1)))
}

function stops(text: string, at: number): boolean {
  const [last, next] = [before(text, at), after(text, at)]
  if (next === '') return true
  if (joined(last, next) || (last === '+' && next === '+')) return false
  if (digit.test(last) && point.test(next) && digit.test(after(text, at + 1))) return false
  return !((next === '+' || next === '#') && isShort(text, at))
}

/** A word of a letter or two, as in the names of languages. */
const isShort = (text: string, end: number): boolean =>
  /(?<!\p{L})\p{L}{1,2}$/u.test(text.slice(Math.max(0, end - 4), end))
