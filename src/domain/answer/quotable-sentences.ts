import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Passage, Source } from '../../ports/models/answer-writer.ts'
import { spokenForms } from '../text/numbers.ts'
import { sentences } from '../text/sentences.ts'
import { likeness } from '../text/words.ts'
import { isJoining } from './names.ts'

/** A stretch of a text that an answer may quote. */
export interface Sentence extends Source {
  /**
   * `entry`: it states nothing, like a row of a table, a heading, or the lines of an address. `fragment`: such a line by
   * itself, unless it is a heading.
   */
  form: 'sentence' | 'entry' | 'fragment'
  /** The first row of a table that this is a row of. */
  header: Source | null
  terms: ReadonlySet<string>
  from: PassageView
  /** The sentence with its neighbours. */
  context: string
  /** Whether it contains the term, or a form or spelling of it; or a question, heading or title before it does. */
  speaksOf(term: string): boolean
  /** Whether the sentence or a neighbour contains it. */
  isNear(term: string): boolean
}

const asks = /[?？؟]["'”’)]*$/u
const closed = /[.!…。！।]["'”’)\]]*$/u
/** The mean of few passages says little: as many as are missing count with a usual score. */
const minCompared = 5
const usualScore = 0.1
/** Without a full stop, a line of no more words is a heading or an item of a list. */
const headingWords = 8
const titleWords = 12
/** UTF-16 units of a list that is quoted as one. */
const longestList = 400
const bullets = /^\s*(?:[-*+•]|\p{N}+[.)])\s.*\n\s*(?:[-*+•]|\p{N}+[.)])\s/u

/**
 * The sentences of the passages that state something, and entries: no questions. With `only`, those of the passages with
 * these indexes.
 */
export function quotable(analysis: TextAnalysis, passages: readonly Passage[], only?: ReadonlySet<number>): Sentence[] {
  const aheadOf = comparison(passages)
  return passages.flatMap((passage, i) =>
    only && !only.has(i) ? [] : quotableOf(analysis, passage, i, aheadOf(passage)),
  )
}

/** How far a passage is above the average of the others. Scores of further searches are of other questions. */
function comparison(passages: readonly Passage[]): (passage: Passage) => number {
  const own = passages.filter(({ followUp }) => !followUp)
  const assumed = Math.max(0, minCompared - own.length)
  const scores = own.reduce((sum, { score }) => sum + score, 0) + assumed * usualScore
  return ({ score, followUp }) =>
    score - (followUp ? scores / (own.length + assumed) : (scores - score) / (own.length - 1 + assumed))
}

function quotableOf(
  analysis: TextAnalysis,
  { text, title, score }: Passage,
  passage: number,
  ahead: number,
): Sentence[] {
  const words = analysis.words(text)
  const above = analysis.words(title ?? '')
  const from = viewOf([...above, ...words], score, ahead)
  const spans = sentences(text)
  let at = 0
  const own = spans.map(({ end }) => {
    const from = at
    while (at < words.length && (words[at]?.start ?? 0) < end) at += 1
    return words.slice(from, at)
  })
  const sets = own.map((within) => new Set(within.map(({ term }) => term)))
  const titled = new Set(above.map(({ term }) => term))
  const isLead = spans.map(({ start, end }, i) => {
    const quote = text.slice(start, end)
    return asks.test(quote) || ((own[i]?.length ?? 0) <= headingWords && !closed.test(quote) && i + 1 < spans.length)
  })
  const lines = spans.map(({ start, end }) => text.slice(start, end))
  const asked = lines.map((line) => asks.test(line))
  const rows = lines.map(isRow)
  const states = lines.map((line) => isSentence(line, (part) => analysis.words(part)))
  /** The spans from one to another, as one stretch of the text. */
  const stretch = (form: Sentence['form'], i: number, last = i, head = i): Sentence[] => {
    const [start, end] = [spans[i]?.start ?? 0, spans[last]?.end ?? 0]
    const within = own.slice(i, last + 1).flat()
    const terms = new Set(within.map(({ term }) => term))
    if (terms.size === 0) return []
    const leads = isLead[head - 1] || (head === 1 && (own[0]?.length ?? 0) <= titleWords)
    const isTitled = above.length <= titleWords && (i === 0 || form === 'entry')
    // A row says nothing of the row above it, but its columns have names, and its table has a heading.
    const led = [
      head < i ? sets[head] : undefined,
      leads && !rows[head - 1] ? sets[head - 1] : undefined,
      isTitled ? titled : undefined,
    ]
    const beside = [sets[i - 1], sets[last + 1]]
    const holds = (set: ReadonlySet<string> | undefined, term: string) =>
      set !== undefined &&
      from
        .formsOf(term)
        .values()
        .some((form) => set.has(form))
    const spoken = spokenOf(within)
    const speaksOf = (term: string) =>
      holds(terms, term) || led.some((set) => holds(set, term)) || spellsOut(spoken, term)
    return [
      {
        form,
        header: head < i ? { passage, quote: lines[head] ?? '', start: spans[head]?.start ?? 0 } : null,
        passage,
        quote: text.slice(start, end),
        start,
        terms,
        from,
        context: text.slice(spans[i - 1]?.start ?? start, spans[last + 1]?.end ?? end),
        speaksOf,
        isNear: (term) => speaksOf(term) || beside.some((set) => holds(set, term)),
      },
    ]
  }
  const isEntry = (i: number) => i < spans.length && !asked[i] && !states[i]
  /** Whether a line and the next one are entries of one list, or rows of one table. */
  const goesOn = (i: number) =>
    isEntry(i) &&
    isEntry(i + 1) &&
    rows[i] === rows[i + 1] &&
    (bullets.test(`${lines[i]}\n${lines[i + 1]}`) ||
      /^[^\S\n]*\n[^\S\n]*$/u.test(text.slice(spans[i]?.end, spans[i + 1]?.start)))
  const found: Sentence[] = []
  let first = 0
  for (const [i, { start }] of spans.entries()) {
    if (!isLead[i]) found.push(...stretch(states[i] ? 'sentence' : 'fragment', i))
    if (!isEntry(i)) continue
    if (i === 0 || !goesOn(i - 1)) first = i
    if (rows[i]) found.push(...stretch('entry', i, i, first))
    else if (!goesOn(i) || (spans[i + 1]?.end ?? start) - (spans[first]?.start ?? 0) > longestList) {
      if (first < i || !isLead[i] || lists.test(lines[i] ?? '')) found.push(...stretch('entry', first, i))
      first = i + 1
    }
  }
  return found
}

/** Letters of scripts without capitals. */
const uncased = /\p{Lo}/u
const capital = /\p{Lu}/u
/** What a line by itself has that is more than a heading. */
const lists = /^[^#].*[\p{Nd},;:]/u
const marksOfList = /[,;:/·•]|\s[-–—]\s/gu
/** A list has at least one mark for as many words. */
const wordsForMark = 3
/** `a,b,c`: in a text a space follows a comma, and in a number digits are on both sides of it. */
const divided = /[,;](?=[^\s\p{Nd}])|(?<!\p{Nd})[,;](?=\p{Nd})/gu

/** The cells of a row of a table: between tabs, bars, or the commas of CSV. A line that is not one is one cell. */
function cellsOf(line: string): string[] {
  const isDivided = (line.match(divided)?.length ?? 0) > 1
  const cells = /[\t|]/u.test(line) ? line.split(/[\t|]/u) : isDivided ? line.match(/"[^"]*"|[^,;]+/gu) : [line]
  return (cells ?? []).map((cell) => cell.trim()).filter((cell) => cell !== '')
}

/** Whether a line is a row of a table. */
const isRow = (line: string): boolean => cellsOf(line).length > 1

/**
 * Whether a line states something, or a cell of it does. If not, it is an entry: a heading, a row of a table, a list of
 * names, a line of an address.
 */
const isSentence = (line: string, wordsOf: (text: string) => readonly Word[]): boolean =>
  cellsOf(line).some((cell) => states(cell, wordsOf(cell)))

function states(text: string, words: readonly Word[]): boolean {
  const isLong = words.length > headingWords
  if (uncased.test(text)) return closed.test(text) || isLong
  // Names, numbers and what joins them state nothing. In capitals, only stop words tell a sentence.
  const inCapitals = !/\p{Ll}/u.test(text)
  const says = words.some(
    (word) => !isJoining(word) && (inCapitals ? word.stop : /^\p{Ll}/u.test(text.slice(word.start, word.end))),
  )
  if (!says) return false
  if (closed.test(text)) return true
  if (isLong) return (text.match(marksOfList)?.length ?? 0) * wordsForMark < words.length
  // A transcript has neither capitals nor full stops.
  return !capital.test(text) && words.some(({ stop }) => stop)
}

/** The content of a passage, in the form that questions are compared with. */
interface PassageView {
  /** The share of the question's words that text retrieval found in the passage, 0..1. */
  score: number
  /** How far that is above the average of the other passages. */
  ahead: number
  /** The terms of the passage that equal this one, or are a form or spelling of it. */
  formsOf(term: string): ReadonlySet<string>
  /** The same, or said in other words: `1998` as `nineteen ninety eight`, `nfl` letter by letter. */
  speaksOf(term: string): boolean
  /** Whether two terms are adjacent. */
  joins(first: string, second: string): boolean
}

function viewOf(words: readonly Word[], score: number, ahead: number): PassageView {
  const vocabulary = new Set(words.map(({ term }) => term))
  const alike = likeness(vocabulary)
  const forms = new Map<string, ReadonlySet<string>>()
  const spoken = spokenOf(words)
  let together: Set<string> | null = null
  const view: PassageView = {
    score,
    ahead,
    formsOf: (term) => {
      const known =
        forms.get(term) ?? new Set([...alike(term), ...spokenForms(term).filter((form) => vocabulary.has(form))])
      forms.set(term, known)
      return known
    },
    speaksOf: (term) => view.formsOf(term).size > 0 || spellsOut(spoken, term),
    joins: (first, second) => {
      together ??= neighbours(words)
      return together.has(`${first} ${second}`)
    },
  }
  return view
}

/** Pairs of adjacent content words. */
function neighbours(words: readonly Word[]): Set<string> {
  const content = words.filter(({ stop }) => !stop)
  return new Set(content.slice(1).map(({ term }, i) => `${content[i]?.term} ${term}`))
}

const spokenOf = (words: readonly Word[]): string => ` ${words.map(({ word }) => word).join(' ')} `

/** Whether words in a row spell out a number, or an acronym letter by letter. */
const spellsOut = (spoken: string, term: string): boolean =>
  spokenForms(term).some((form) => spoken.includes(` ${form} `)) || spoken.includes(` ${[...term].join(' ')} `)
