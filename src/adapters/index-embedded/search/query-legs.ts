import type { QueryTerms, Terms } from '../analysis/query-terms.ts'
import type { Lists } from '../memory/lists.ts'
import type { Visible } from '../shard/visible.ts'
import type { Field } from '../text/field.ts'
import type { TextColumns } from '../text/text-columns.ts'
import type { Term } from './term.ts'

const bigramWeight = 0.4
const charWeight = 0.2

/** The terms of BM(word) + .4 BM(bigram) + .2 BM(char4); each leg has its own field. */
export interface QueryLegs {
  words: Term[]
  bigrams: Term[]
  charGrams: Term[]
}

export function queryLegs(text: TextColumns, visible: Visible, query: QueryTerms): QueryLegs {
  const words = termsOf(query.words, visible.field(query.field), 1, (term) =>
    query.field === 'stop' ? numbered(text.words.find(term)) : listed(text.stemWords, text.stems.find(term)),
  )
  const charGrams =
    query.charGrams.size === 0
      ? []
      : termsOf(query.charGrams, visible.field('char'), charWeight, (gram) =>
          listed(text.gramWords, text.grams.find(gram)),
        )
  return { words, bigrams: query.bigrams.size === 0 ? [] : bigramsOf(text, query, visible.field('bigram')), charGrams }
}

function termsOf(terms: Terms, field: Field, weight: number, wordsOf: (term: string) => Uint32Array): Term[] {
  return [...terms].map(([name, mentions]) => ({
    name,
    words: wordsOf(name),
    pair: null,
    field,
    weight: weight * mentions,
  }))
}

function bigramsOf(text: TextColumns, query: QueryTerms, field: Field): Term[] {
  const order = [...query.words.keys()]
  return [...query.bigrams].flatMap(([bigram, mentions]) => {
    const [one = '', other = ''] = bigram.split(' ')
    const [first, second] = [text.stems.find(one) + 1, text.stems.find(other) + 1]
    if (first === 0 || second === 0) return []
    const pair = { first, second, firstTerm: order.indexOf(one), secondTerm: order.indexOf(other) }
    return [{ name: bigram, words: none, pair, field, weight: bigramWeight * mentions }]
  })
}

const none = new Uint32Array(0)
const numbered = (word: number): Uint32Array => (word < 0 ? none : Uint32Array.of(word))
const listed = (lists: Lists, key: number): Uint32Array => (key < 0 ? none : lists.numbers(key))
