import { repeatedWords } from '../../../model/title.ts'
import type { IndexedUnit } from '../../../ports/indexes/index-filter.ts'
import type { TextAnalysis, Word } from '../../../ports/indexes/text-analysis.ts'
import { wordToken } from './tokens.ts'

/** Meilisearch reads 65,535 positions of an attribute: longer texts are split over several. */
const perField = 60_000
const fieldCount = 12

/** Attributes that hold a text's terms. */
export const termFields: readonly string[] = Array.from({ length: fieldCount }, (_, i) => `terms_${i + 1}`)
/** The attribute that holds its stop words, each once. */
export const stopField = 'stops'

/** Separates paragraphs, so that a pair of terms does not match across them: no query contains it. */
const paragraph = 'z'.repeat(14)
const blankLine = /\n[^\S\n]*\n/

/** The maximum number of a text's distinct terms stored for comparisons; most texts have fewer. */
const bagSize = 200

export interface TextFields {
  /** A token for each term in order, without stop words. */
  terms: Record<string, string>
  stops: string
  /** The most frequent terms with their counts: `token 3 token 2`. */
  bag: string
  /** Number of terms. */
  length: number
}

/**
 * A title and text as Meilisearch gets them: words of the text that repeat the title are there once. The end is left
 * out if a text is denser than any real writing (two words for every three bytes of a megabyte).
 */
export function textFields({ title, text }: Titled, analysis: TextAnalysis): TextFields {
  const tokens: string[] = []
  const counts = new Map<string, number>()
  const stops = new Set<string>()
  let parted = false
  for (const word of rankedWords(title, text ?? '', analysis)) {
    parted ||= word.opensParagraph
    if (word.stop) {
      stops.add(wordToken(word.word, 'stop'))
      continue
    }
    if (parted && counts.size > 0) tokens.push(paragraph)
    parted = false
    const token = wordToken(word.term, 'term')
    tokens.push(token)
    counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  const terms = termFields
    .map((field, i) => [field, tokens.slice(i * perField, (i + 1) * perField).join(' ')])
    .filter(([, part]) => part !== '')
  const length = counts.values().reduce((total, count) => total + count, 0)
  return { terms: Object.fromEntries(terms), stops: [...stops].join(' '), bag: bagOf(counts), length }
}

type Titled = Pick<IndexedUnit, 'title' | 'text'>
type RankedWord = Word & { opensParagraph: boolean }

function rankedWords(title: string | null, text: string, analysis: TextAnalysis): RankedWord[] {
  const words = paragraphed(text, analysis.words(text))
  if (title === null) return words
  const spelled = (said: readonly Word[]) => said.map(({ word }) => word)
  const repeated = repeatedWords(title, spelled(words), (heading) => spelled(analysis.words(heading)))
  const body = words.slice(repeated).map((word, i) => (i === 0 ? { ...word, opensParagraph: true } : word))
  return [...paragraphed(title, analysis.words(title)), ...body]
}

/** Each word, and whether a blank line stands before it. */
const paragraphed = (text: string, words: readonly Word[]): RankedWord[] =>
  words.map((word, i) => ({
    ...word,
    opensParagraph: blankLine.test(text.slice(words[i - 1]?.end ?? 0, word.start)),
  }))

function bagOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, bagSize)
    .flat()
    .join(' ')
}

/** Reads a `bag`: token -> mentions. */
export function readBag(bag: string): ReadonlyMap<string, number> {
  const parts = bag === '' ? [] : bag.split(' ')
  return new Map(parts.flatMap((token, i) => (i % 2 === 0 ? [[token, Number(parts[i + 1] ?? 1)] as const] : [])))
}
