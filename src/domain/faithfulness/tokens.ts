import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import { cardinalOf } from '../text/numbers.ts'
import { currencySymbols, irregularBase, isLight, joints, magnitudes, prepositions, unitOf } from './word-classes.ts'

/** A text with its words: the input of vetoes. */
export interface Reading {
  text: string
  words: readonly Word[]
}

export const read = ({ words }: TextAnalysis, text: string): Reading => ({ text, words: words(text) })

export const emptyReading: Reading = { text: '', words: [] }

/** The part from `start` to `end` (UTF-16 offsets) as its own reading. */
export function part({ text, words }: Reading, start: number, end: number): Reading {
  const within: Word[] = []
  for (let i = firstFrom(words, start); i < words.length; i++) {
    const word = words[i]
    if (!word || word.end > end) break
    within.push({ ...word, start: word.start - start, end: word.end - start })
  }
  return { text: text.slice(start, end), words: within }
}

/** The index of the first word that starts there or later. Binary search, because a long text has many sentences. */
function firstFrom(words: readonly Word[], start: number): number {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle]?.start ?? 0) < start) low = middle + 1
    else high = middle
  }
  return low
}

type TokenKind = 'light' | 'joint' | 'preposition' | 'number' | 'content'

/** A word as used to compare a claim with its evidence. */
export interface Token {
  word: string
  /** Equal for two tokens with the same meaning. */
  key: string
  stem: string
  kind: TokenKind
  /** Offsets in the text, UTF-16. */
  start: number
  end: number
  /** Marks between the previous token and this one: `,` between clauses, `.` where a sentence may end. */
  before: '' | ',' | '.'
  capital: boolean
  possessive: boolean
}

const digits = /^\p{Nd}+$/u
const measured = /^(\p{Nd}+)(\p{L}+)$/u
const ordinals = new Map([
  ['1st', 'first'],
  ['2nd', 'second'],
  ['3rd', 'third'],
  ['4th', 'fourth'],
  ['5th', 'fifth'],
  ['6th', 'sixth'],
  ['7th', 'seventh'],
  ['8th', 'eighth'],
  ['9th', 'ninth'],
  ['10th', 'tenth'],
])
/** `won't` and `shan't` are split into these and `t`. */
const contracted = new Map([
  ['won', 'will'],
  ['shan', 'shall'],
  ['ca', 'can'],
  ['can', 'can'],
  ['couldn', 'could'],
  ['wouldn', 'would'],
  ['shouldn', 'should'],
  ['mustn', 'must'],
  ['mightn', 'might'],
])

/** The tokens of a text: its words, with whole numbers, one name for each unit and currency, no contractions. */
export function tokensOf({ text, words }: Reading): Token[] {
  const tokens: Token[] = []
  let currency: string | null = null
  const flush = () => {
    const last = tokens.at(-1)
    // It gets the position of the previous word, so that both are in one sentence.
    if (currency && last) tokens.push(token(text, { ...last, word: currency, term: currency }, last.start))
    currency = null
  }
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as Word
    const previousEnd = tokens.at(-1)?.end ?? 0
    const last = tokens.at(-1)
    // A currency's symbol is before its number, but its token goes after the number and its magnitude.
    if (currency && !magnitudes.has(word.word) && !isNumeric(word.word)) flush()
    if (word.word === 't' && last && /n['’]$/iu.test(text.slice(Math.max(0, word.start - 2), word.start))) {
      const auxiliary = contracted.get(last.word)
      tokens.pop()
      if (auxiliary)
        tokens.push(token(text, { word: auxiliary, term: auxiliary, start: last.start, end: last.end }, last.start))
      tokens.push(token(text, { word: 'not', term: 'not', start: word.start, end: word.end }, last.end))
      continue
    }
    if (word.word === 'cannot') {
      tokens.push(token(text, { ...word, word: 'can', term: 'can', end: word.start + 3 }, previousEnd))
      tokens.push(token(text, { ...word, word: 'not', term: 'not', start: word.start + 3 }, word.start + 3))
      continue
    }
    // `not only cheap but fast` does not deny anything.
    if (word.word === 'not' && words[i + 1]?.word === 'only') {
      i += 1
      continue
    }
    const whole = numberAt(text, words, i)
    if (whole) {
      tokens.push(number(text, whole.value, word.start, whole.end, previousEnd))
      i = whole.last
      const symbol = text
        .slice(Math.max(0, word.start - 2), word.start)
        .trimEnd()
        .at(-1)
      currency = (symbol && currencySymbols.get(symbol)) ?? null
      if (/^\s?%/u.test(text.slice(whole.end, whole.end + 2))) {
        tokens.push(token(text, { word: 'percent', term: 'percent', start: whole.end, end: whole.end }, whole.end))
      }
      continue
    }
    const glued = measured.exec(word.word)
    if (glued && !ordinals.has(word.word)) {
      const at = word.start + (glued[1]?.length ?? 0)
      tokens.push(number(text, glued[1] ?? '', word.start, at, previousEnd))
      tokens.push(token(text, { ...word, word: glued[2] ?? '', term: glued[2] ?? '', start: at }, at))
      continue
    }
    if (word.word === 'cent' && last?.word === 'per') {
      tokens.pop()
      tokens.push(token(text, { ...word, word: 'percent', term: 'percent', start: last.start }, last.start))
      continue
    }
    tokens.push(token(text, word, previousEnd))
  }
  flush()
  return tokens.map((one, i) => withUnit(one, tokens[i - 1]))
}

const isNumeric = (word: string) => digits.test(word) || measured.test(word) || cardinalOf(word) !== null

/** Runs of digits with separators between them are one number, including `36, 000`. */
function numberAt(text: string, words: readonly Word[], first: number) {
  const word = words[first] as Word
  const spelled = cardinalOf(word.word)
  if (spelled !== null) {
    const next = words[first + 1]
    const ones = next && next.start - word.end === 1 ? cardinalOf(next.word) : null
    const joined = ones !== null && spelled >= 20 && spelled < 100 && ones < 10
    return {
      value: String(joined ? spelled + ones : spelled),
      last: joined ? first + 1 : first,
      end: joined && next ? next.end : word.end,
    }
  }
  if (!digits.test(word.word)) return null
  let [value, last] = [word.word, first]
  for (let next = words[last + 1]; next && digits.test(next.word); next = words[last + 1]) {
    const between = text.slice(words[last]?.end ?? 0, next.start)
    if (/^, ?$/u.test(between) && next.word.length === 3 && !value.includes('.')) value += next.word
    else if (/^[.,:]$/u.test(between)) value += `${between === ':' ? ':' : '.'}${next.word}`
    else break
    last += 1
  }
  return { value: value.replace(/^0+(?=\d)/u, ''), last, end: words[last]?.end ?? word.end }
}

function number(text: string, value: string, start: number, end: number, previousEnd: number): Token {
  const negative = /(?:^|\s)[-−]$/u.test(text.slice(Math.max(0, start - 2), start))
  const key = `#${negative ? '-' : ''}${value}`
  return { ...token(text, { word: value, term: value, start, end }, previousEnd), key, kind: 'number' }
}

function token(text: string, { word, term, start, end }: Omit<Word, 'stop'>, previousEnd: number): Token {
  const spelled = ordinals.get(word) ?? word
  return {
    word: spelled,
    stem: term,
    key: keyOf(spelled, spelled === word ? term : spelled),
    kind: kindOf(spelled),
    start,
    end,
    before: markIn(text.slice(previousEnd, start)),
    capital: /^\p{Lu}/u.test(text.slice(start, start + 2)),
    possessive: /^['’](?:s\b|\s)/iu.test(text.slice(end, end + 2)) || /^ ['’]s?\s/u.test(text.slice(end, end + 4)),
  }
}

function markIn(between: string): Token['before'] {
  if (/[.!?;…。！？؟।]|\n\s*\n/u.test(between)) return '.'
  return /[,:()–—、，：（）،]|- ?-/u.test(between) ? ',' : ''
}

function kindOf(word: string): TokenKind {
  if (isLight(word)) return 'light'
  if (joints.has(word)) return 'joint'
  return prepositions.has(word) ? 'preposition' : 'content'
}

/** A person who does a thing is not the thing done: `trainer` and `trained` share a stem. */
function keyOf(word: string, stem: string): string {
  const base = irregularBase(word)
  if (base) return base
  const agent = /\p{L}{3}(?:er|or)s?$/u.test(word) && !/(?:er|or)$/u.test(stem)
  const recipient = /ees?$/u.test(word) && word.length > 5
  return agent ? `${stem}:er` : recipient ? `${stem}:ee` : stem
}

/** Gives each unit one name, if a number or a magnitude is before it. */
function withUnit(one: Token, previous: Token | undefined): Token {
  const isMeasure = previous?.kind === 'number' || (previous !== undefined && magnitudes.has(previous.word))
  const unit = isMeasure ? unitOf(one.word) : null
  return unit ? { ...one, key: unit, kind: 'content' } : one
}
