import type { QueryTerms } from '../analysis/query-terms.ts'
import type { Visible } from '../shard/visible.ts'
import { type Field, fieldOver } from './field.ts'
import type { RowScores } from './row-scores.ts'
import type { TermScorer } from './term-scorer.ts'
import type { TextColumns } from './text-columns.ts'

const bigramWeight = 0.4
const charWeight = 0.2
/** A match of letters alone says little about what a text is about. */
const charConfidence = 0.3

/**
 * The first stage: BM(word) + .4 BM(bigram) + .2 BM(char4), each over its own field, added into `scores`.
 *
 * @returns how well the best row matches, 0..1: the score of its words as a share of what a row of average length gets
 *   that says each word of the query as often as the query does. Of a query whose words no row says, less.
 */
export function scoreLegs(
  { text, visible, scorer, scores }: { text: TextColumns; visible: Visible; scorer: TermScorer; scores: RowScores },
  query: QueryTerms,
): number {
  const field = (name: keyof TextColumns['lengths']) => fieldOver(visible, text.lengths[name].array)
  const add = (words: number[], of: Field, weight: number) =>
    scorer.add(text, visible, words, { field: of, weight, scores })

  const words = field(query.field)
  const wordsOf = query.field === 'stop' ? wordNumber(text) : stemWords(text)
  const rowsOf = new Map<string, number>()
  let full = 0
  for (const [term, mentions] of query.words) {
    const { idf, rows } = add(wordsOf(term), words, mentions)
    rowsOf.set(term, rows)
    full += mentions * idf
  }
  const byWords = scores.best

  const pairs = query.bigrams.size > 0 ? field('bigram') : null
  for (const [bigram, mentions] of query.bigrams) {
    const [first = '', second = ''] = bigram.split(' ')
    const rarer = (rowsOf.get(first) ?? 0) < (rowsOf.get(second) ?? 0) ? first : second
    const pair = { first: text.stems.find(first) + 1, second: text.stems.find(second) + 1 }
    if (pairs === null || pair.first === 0 || pair.second === 0) continue
    const scoring = { field: pairs, weight: bigramWeight * mentions, scores }
    scorer.addBigram(text, visible, wordsOf(rarer), pair, scoring)
  }

  const grams = query.charGrams.size > 0 ? field('char') : null
  let fullGrams = 0
  for (const [gram, mentions] of query.charGrams) {
    if (grams === null) continue
    const { idf } = add(gramWords(text)(gram), grams, charWeight * mentions)
    fullGrams += charWeight * mentions * idf
  }
  return byWords > 0 ? Math.min(1, byWords / full) : charConfidence * Math.min(1, scores.best / (fullGrams || 1))
}

const wordNumber = (text: TextColumns) => (word: string) => {
  const number = text.words.find(word)
  return number < 0 ? [] : [number]
}

const stemWords = (text: TextColumns) => (stem: string) => listed(text.stems.find(stem), text.stemWords)
const gramWords = (text: TextColumns) => (gram: string) => listed(text.grams.find(gram), text.gramWords)

const listed = (key: number, lists: TextColumns['stemWords']) =>
  key < 0 ? [] : lists.values(key).map((number) => number - 1)
