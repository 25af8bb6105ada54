import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Passage } from '../../ports/models/answer-writer.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import type { NamedThing } from './names.ts'
import { joinedNames } from './names.ts'
import { analyseQuestion } from './question.ts'
import { trailsOf } from './trails.ts'

/** The question is covered when a trail tells this share of it. */
const coveredShare = 0.85
/** Longer queries and names are cut: a passage may call anything a name. */
const maxWords = 12
const maxName = 100
/** The maximum of words that are searched with a name. */
const maxOpen = 3

/**
 * What to search next, by rules: the things that the question compares or joins and that no passage is about, then the
 * names on the way from those of the question to its answer. Empty when the passages cover the question, or there is nothing
 * new to ask. `passages` are all found so far; `asked` the queries.
 */
export function nextQueries(
  analysis: TextAnalysis,
  question: string,
  passages: readonly Passage[],
  asked: readonly string[],
): string[] {
  const pool = evidenceOf(analysis, passages)
  const words = analysis.words(question)
  const joined = joinedNames(question, words)
  const known = subjectsOf(pool)
  const apart = joined
    .filter((name) => !isAmong(known, name))
    .map((name) => queryOf(name.text, outside(words, question, joined)))
    .filter((query) => isNew(analysis, query, asked))
  if (apart.length > 0) return apart
  for (const part of analyseQuestion(analysis, question)) {
    const { trails, leads } = trailsOf(analysis, part, pool)
    if (trails[0] && trails[0].sentences.length > 1 && trails[0].told >= coveredShare) continue
    const ahead = leads.find(({ name }) => !asked.some((query) => query.includes(name)))
    const query = ahead ? queryOf(ahead.name, ahead.open.slice(0, maxOpen)) : ''
    if (isNew(analysis, query, asked)) return [query]
  }
  return []
}

/** The content words of the question outside of these names. */
const outside = (words: readonly Word[], question: string, names: readonly NamedThing[]): string[] =>
  words
    .filter(({ stop, start }) => !stop && !names.some((name) => start >= name.start && start < name.end))
    .map(({ start, end }) => question.slice(start, end))

const subjectsOf = (pool: readonly Evidence[]): ReadonlySet<string>[] => [
  ...new Map(pool.map((one) => [one.passage, one.subject.terms])).values(),
]

/** Whether a passage is about what has this name. */
const isAmong = (subjects: readonly ReadonlySet<string>[], { terms }: { terms: readonly string[] }): boolean =>
  subjects.some((subject) => terms.every((term) => subject.has(term)))

const queryOf = (name: string, words: readonly string[]): string =>
  [name.replace(/\s+/gu, ' ').slice(0, maxName).toWellFormed(), ...words.slice(0, maxWords)].join(' ').trim()

/** Whether the query has another set of terms than all before it. */
export function isNew(analysis: TextAnalysis, query: string, asked: readonly string[]): boolean {
  const termsOf = (text: string) =>
    [...new Set(analysis.words(text).flatMap(({ term, stop }) => (stop ? [] : [term])))].sort().join(' ')
  const terms = termsOf(query)
  return terms !== '' && asked.every((one) => termsOf(one) !== terms)
}
