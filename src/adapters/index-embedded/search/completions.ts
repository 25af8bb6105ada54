import { spellingOf, typedForms } from '../analysis/lexemes.ts'
import type { OpenWord } from '../analysis/query-terms.ts'
import type { WordLists } from '../memory/lists.ts'
import type { Visible } from '../shard/visible.ts'
import { postingRow, type TextColumns } from '../text/text-columns.ts'

/** The most frequent are enough: nobody means the others. */
const maxWords = 50
/** Letters of the n-grams that list words by their beginning. */
const listed = 3

interface Candidate {
  word: number
  spelling: string
  rows: number
}

/**
 * Words that begin like the query's last one, by how many letters longer they are; whether the word itself is in a row, and in how many rows it
 * or one of these is. All counts are of visible rows, so hidden texts complete nothing.
 *
 * @param own the words that count as the word itself
 * @param lists of the query
 */
export function completionsOf(text: TextColumns, visible: Visible, open: OpenWord, own: Uint32Array, lists: WordLists) {
  const rowsOf = (word: number, visit: (row: number) => void) =>
    text.postings.each(word, (posting) => {
      const row = postingRow(posting)
      if (visible.flags[row] === 1) visit(row)
    })
  const isOwn = new Set(own)
  const candidates: Candidate[] = []
  for (const word of new Set(wordsFrom(text, open, lists))) {
    if (isOwn.has(word)) continue
    const forms = typedForms(spellingOf(text.words.text(word)))
    const spelling = forms.find((form) => form.startsWith(open.beginning))
    if (spelling === undefined) continue
    let rows = 0
    rowsOf(word, () => {
      rows++
    })
    if (rows > 0) candidates.push({ word, spelling, rows })
  }
  // Of equals by their letters: their numbers tell in which order texts came, hidden ones among them.
  const order = (a: Candidate, b: Candidate) => b.rows - a.rows || (a.spelling < b.spelling ? -1 : 1)
  const frequent = candidates.sort(order).slice(0, maxWords)
  const holds = new Uint8Array(visible.flags.length)
  let holding = 0
  const mark = (row: number) => {
    if (holds[row] === 0) holding++
    holds[row] = 1
  }
  for (const word of own) rowsOf(word, mark)
  const isWord = holding > 0
  for (const { word } of frequent) rowsOf(word, mark)
  const byRest = Map.groupBy(frequent, ({ spelling }) => lengthOf(spelling) - lengthOf(open.beginning))
  const words = [...byRest].map(([rest, some]) => [rest, Uint32Array.from(some, ({ word }) => word)] as const)
  return { byRest: new Map(words), isWord, holding }
}

export const lengthOf = (word: string): number => [...word].length

/** The words of the index that may begin so; a name by its symbols, too. */
function wordsFrom(text: TextColumns, { beginning, isName }: OpenWord, lists: WordLists): Uint32Array {
  const letters = [...beginning]
  const first = letters.slice(0, listed).join('')
  const start = `${isName ? '=' : '_'}${first}`
  return lists.of(text.gramWords, letters.length < listed ? gramsFrom(text, start) : [text.grams.find(start)])
}

/** By text, how many n-grams were read, and those at the beginnings of words and names by their mark and their first one and two letters. */
const starts = new WeakMap<TextColumns, { read: number; byLetters: Map<string, number[]> }>()

function gramsFrom(text: TextColumns, start: string): readonly number[] {
  const known = starts.get(text) ?? { read: 0, byLetters: new Map<string, number[]>() }
  starts.set(text, known)
  // N-grams are only added, so each is read once.
  for (; known.read < text.grams.size; known.read++) {
    const [, mark, first] = /^#?([_=])([^_]{1,2})/u.exec(text.grams.text(known.read)) ?? []
    if (mark === undefined || first === undefined) continue
    for (const letters of new Set([mark + first, mark + ([...first][0] ?? '')])) {
      const before = known.byLetters.get(letters)
      if (before) before.push(known.read)
      else known.byLetters.set(letters, [known.read])
    }
  }
  return known.byLetters.get(start) ?? []
}
