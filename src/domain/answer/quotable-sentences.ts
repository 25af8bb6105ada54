import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Passage, Source } from '../../ports/models/answer-writer.ts'
import { spokenForms } from '../text/numbers.ts'
import { sentences } from '../text/sentences.ts'
import { likeness } from '../text/words.ts'

/** A sentence that an answer may quote. */
export interface Sentence extends Source {
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
const headingWords = 8
const titleWords = 12

/**
 * The sentences of the passages that state something: no questions, and no headings that text follows. With `only`, those
 * of the passages with these indexes.
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
  return spans.flatMap(({ start, end }, i) => {
    const terms = sets[i]
    if (!terms || terms.size === 0 || isLead[i]) return []
    const leads = isLead[i - 1] || (i === 1 && (own[0]?.length ?? 0) <= titleWords)
    const led = leads ? sets[i - 1] : i === 0 && above.length <= titleWords ? titled : undefined
    const beside = [sets[i - 1], sets[i + 1]]
    const holds = (set: ReadonlySet<string> | undefined, term: string) =>
      set !== undefined &&
      from
        .formsOf(term)
        .values()
        .some((form) => set.has(form))
    const spoken = spokenOf(own[i] ?? [])
    const speaksOf = (term: string) => holds(terms, term) || holds(led, term) || spellsOut(spoken, term)
    return [
      {
        passage,
        quote: text.slice(start, end),
        start,
        terms,
        from,
        context: text.slice(spans[i - 1]?.start ?? start, spans[i + 1]?.end ?? end),
        speaksOf,
        isNear: (term) => speaksOf(term) || beside.some((set) => holds(set, term)),
      },
    ]
  })
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
  /** Whether adjacent words have these initials. */
  abbreviates(acronym: string): boolean
  /** Whether two terms are adjacent, or one word apart. */
  joins(first: string, second: string): boolean
}

/** The initials of two adjacent words match too often by chance. */
const minAcronym = 3

function viewOf(words: readonly Word[], score: number, ahead: number): PassageView {
  const vocabulary = new Set(words.map(({ term }) => term))
  const alike = likeness(vocabulary)
  const forms = new Map<string, ReadonlySet<string>>()
  const spoken = spokenOf(words)
  const initials = words.map(({ word }) => word[0]).join('')
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
    abbreviates: (acronym) => acronym.length >= minAcronym && initials.includes(acronym),
    joins: (first, second) => {
      together ??= neighbours(words)
      return together.has(`${first} ${second}`)
    },
  }
  return view
}

/** Pairs of content words up to one word apart, and adjacent words in reverse order. */
function neighbours(words: readonly Word[]): Set<string> {
  const content = words.filter(({ stop }) => !stop)
  const pairs = new Set<string>()
  for (const [i, { term }] of content.entries()) {
    const [next, second] = [content[i + 1]?.term, content[i + 2]?.term]
    if (next !== undefined) pairs.add(`${term} ${next}`).add(`${next} ${term}`)
    if (second !== undefined) pairs.add(`${term} ${second}`)
  }
  return pairs
}

const spokenOf = (words: readonly Word[]): string => ` ${words.map(({ word }) => word).join(' ')} `

/** Whether words in a row spell out a number, or an acronym letter by letter. */
const spellsOut = (spoken: string, term: string): boolean =>
  spokenForms(term).some((form) => spoken.includes(` ${form} `)) || spoken.includes(` ${[...term].join(' ')} `)
