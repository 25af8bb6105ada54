/** A reference implementation of the built-in ranking, without an index: plain lists, all statistics recomputed. */

export interface Document {
  id: string
  /** Words that are their own stems; each inner list is a paragraph. */
  paragraphs: string[][]
}

type Vector = Map<string, number>
type Scores = Map<string, number>

const isStop = (word: string) => word === 'the'
const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0)
const max = (values: Iterable<number>) => [...values].reduce((a, b) => Math.max(a, b), 0)
const idf = (n: number, df: number) => Math.log(1 + (n - df + 0.5) / (df + 0.5))

function count(terms: string[]): Vector {
  const counts: Vector = new Map()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

const words = (d: Document) => d.paragraphs.flat().filter((word) => !isStop(word))
const stops = (d: Document) => d.paragraphs.flat().filter(isStop)
const pairs = (list: string[]) => list.slice(1).map((word, i) => `${list[i]} ${word}`)
const bigrams = (d: Document) => d.paragraphs.flatMap((p) => pairs(p.filter((word) => !isStop(word))))
const grams = (list: string[]) =>
  list.flatMap((word) =>
    word.length <= 2 ? [`#_${word}_`] : Array.from({ length: word.length - 1 }, (_, i) => `_${word}_`.slice(i, i + 4)),
  )

/** BM25 of weighted query terms over one field; documents without any term are omitted. */
function bm(query: Vector, documents: Document[], field: (d: Document) => string[]): Scores {
  const fields = new Map(documents.map((d) => [d.id, field(d)]))
  const filled = [...fields.values()].filter((f) => f.length > 0)
  const average = sum(filled.map((f) => f.length)) / filled.length
  const scores: Scores = new Map()
  for (const [term, weight] of query) {
    const df = filled.filter((f) => f.includes(term)).length
    for (const [id, f] of fields) {
      const tf = f.filter((t) => t === term).length
      if (tf === 0) continue
      const score = (weight * idf(filled.length, df) * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * f.length) / average))
      scores.set(id, (scores.get(id) ?? 0) + score)
    }
  }
  return scores
}

/** The score of a document of average length that contains each term as often as the query does. */
function fullScore(query: Vector, documents: Document[], field: (d: Document) => string[]): number {
  const filled = documents.map(field).filter((f) => f.length > 0)
  return sum([...query].map(([term, n]) => n * idf(filled.length, filled.filter((f) => f.includes(term)).length)))
}

function ranked(scores: Scores): [string, number][] {
  return [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
}

/** x_t = (1 + ln tf) * idf among the candidates, without terms that occur in more than half of them, L2-normalised. */
function termVectors(candidates: Document[]): Map<string, Vector> {
  const holding = count(candidates.flatMap((d) => [...new Set(words(d))]))
  return new Map(
    candidates.map((d) => {
      const x: Vector = new Map()
      for (const [term, tf] of count(words(d))) {
        const df = holding.get(term) ?? 0
        if (df <= candidates.length / 2) x.set(term, (1 + Math.log(tf)) * idf(candidates.length, df))
      }
      const length = Math.sqrt(sum([...x.values()].map((v) => v * v)))
      return [d.id, new Map([...x].map(([term, v]) => [term, v / length]))]
    }),
  )
}

const cosine = (a: Vector, b: Vector) => sum([...a].map(([term, v]) => v * (b.get(term) ?? 0)))

/** L + .5 a, where a is the cosine-weighted mean of L over the five nearest other documents. */
function regularise(scores: Scores, documents: Document[]): { scores: Scores; vectors: Map<string, Vector> } {
  const order = ranked(scores).map(([id]) => id)
  const vectors = termVectors(order.map((id) => documents.find((d) => d.id === id) ?? { id, paragraphs: [] }))
  if (order.length < 3) return { scores, vectors }
  const result: Scores = new Map()
  for (const id of order) {
    const near = order
      .filter((other) => other !== id)
      .map((other) => ({ other, cos: cosine(vectors.get(id) ?? new Map(), vectors.get(other) ?? new Map()) }))
      .filter(({ cos }) => cos > 0)
      .sort((x, y) => y.cos - x.cos)
      .slice(0, 5)
    const total = sum(near.map((n) => n.cos))
    const a = total === 0 ? 0 : sum(near.map((n) => n.cos * (scores.get(n.other) ?? 0))) / total
    result.set(id, (scores.get(id) ?? 0) + 0.5 * a)
  }
  return { scores: result, vectors }
}

const scaled = (scores: Scores, by: number): Scores => new Map([...scores].map(([id, s]) => [id, s * by]))

function blend(a: Scores, b: Scores, weight: number): Scores {
  const blended = new Map(a)
  for (const [id, s] of b) blended.set(id, (blended.get(id) ?? 0) + weight * s)
  return blended
}

/** Where a document has every word, each score counts by the share of the words that its document has, at least that of the least. */
function covering(
  scores: Scores,
  query: Vector,
  documents: Document[],
  field: (d: Document) => string[],
): { scores: Scores; held: Held } {
  const fields = new Map(documents.map((d) => [d.id, new Set(field(d))]))
  const filled = [...fields.values()].filter(({ size }) => size > 0)
  const weights = [...query].flatMap(([term, n]): [string, number][] => {
    const df = filled.filter((f) => f.has(term)).length
    return df === 0 ? [] : [[term, n * idf(filled.length, df)]]
  })
  const has = (id: string) => weights.filter(([term]) => fields.get(id)?.has(term))
  const whole = (id: string) => weights.length > 0 && has(id).length === weights.length
  const held = { words: weights.length, whole }
  if (weights.length < 2 || !documents.some(({ id }) => whole(id))) return { scores, held }
  const total = sum(weights.map(([, weight]) => weight))
  const least = Math.min(...weights.map(([, weight]) => weight))
  const share = (id: string) => Math.max(least, sum(has(id).map(([, weight]) => weight))) / total
  return { scores: new Map([...scores].map(([id, score]) => [id, score * share(id)])), held }
}

type Found = [string, number][]

/** How many words of the query any document has, and which documents have them all. */
interface Held {
  words: number
  whole: (id: string) => boolean
}

/**
 * Documents with every word before others, and among them those with every stop word: their scores from .5 of the best on, those of
 * others below. Of a single word, only those with every stop word.
 */
function wholeFirst(list: Found, { words, whole }: Held, stopped: (id: string) => boolean, hasStops: boolean): Found {
  if (words < 2 && !hasStops) return list
  const ofTier = (tier: number) =>
    list.filter(([id]) => (!whole(id) ? 2 : stopped(id) ? 0 : words < 2 ? 2 : 1) === tier)
  const first = before(ofTier(0), ofTier(1))
  const best = first[0]?.[1] ?? 1
  const raised = first.map(([id, s]): [string, number] => [id, 0.5 + (0.5 * s) / best])
  return before(first.length < list.length ? raised : first, ofTier(2))
}

function before(first: Found, second: Found): Found {
  if (first.length === 0) return second
  const ceiling = (0.99 * (first.at(-1)?.[1] ?? 1)) / Math.max(first[0]?.[1] ?? 1, second[0]?.[1] ?? 1)
  return [...first, ...second.map(([id, s]): [string, number] => [id, ceiling * s])]
}

/** Scores 0..1 by document id. At most 200 documents. */
export function referenceRanking(query: string[], documents: Document[], topK: number): Scores {
  const content = query.filter((word) => !isStop(word))
  const terms = count(content.length > 0 ? content : query)
  const beside = content.length > 0 ? query.filter(isStop) : []
  const stopped = (id: string) =>
    documents.some((d) => d.id === id && beside.every((word) => d.paragraphs.flat().includes(word)))
  const field = content.length > 0 ? words : stops
  const byWord = bm(terms, documents, field)
  const bigramTerms = count(pairs(content))
  const gramTerms = count(grams(content))
  const byBigram = bm(bigramTerms, documents, bigrams)
  const byGram = bm(gramTerms, documents, (d) => grams(words(d)))
  const { scores: legs, held } = covering(blend(blend(byWord, byBigram, 0.4), byGram, 0.2), terms, documents, field)
  if (legs.size === 0) return legs
  const byLetters = [...legs].filter(([id]) => !byWord.has(id)).map(([, s]) => s)
  const confidence = {
    words: max(byWord.values()) / fullScore(terms, documents, field),
    letters: max(byLetters) / (0.2 * fullScore(gramTerms, documents, (d) => grams(words(d)))),
  }
  /** Those with a word as a share of the best with a word; others as a share of the best without, if that is lower. */
  const final = (all: [string, number][]): Scores => {
    const list = wholeFirst(all, held, stopped, beside.length > 0)
    const best = (hasWord: boolean) => list.find(([id]) => byWord.has(id) === hasWord)?.[1] ?? 1
    const perWord = Math.min(1, confidence.words) / best(true)
    const perLetter = (0.3 * Math.min(1, confidence.letters)) / best(false)
    const per = (id: string) =>
      byWord.has(id) ? perWord : byWord.size === 0 ? perLetter : Math.min(perWord, perLetter)
    return new Map(list.map(([id, s]) => [id, per(id) * s]))
  }
  const first = scaled(legs, 1 / max(legs.values()))
  const second = regularise(first, documents)
  const head = ranked(second.scores)
  if (topK <= 10) return final(head)

  const centroid: Vector = new Map()
  for (const [id, f] of head.slice(0, 10)) {
    for (const [term, x] of second.vectors.get(id) ?? []) centroid.set(term, (centroid.get(term) ?? 0) + f * x)
  }
  const total = sum(centroid.values())
  const expansion = bm(scaled(centroid, 1 / total), documents, words)
  if (expansion.size === 0) return final(head)
  const found = new Map([...expansion].filter(([id]) => first.has(id)))
  const blended = blend(first, scaled(found, 1 / max(expansion.values())), 0.8)
  const third = regularise(scaled(blended, 1 / max(blended.values())), documents)
  const inHead = new Set(head.slice(0, 10).map(([id]) => id))
  const tail = ranked(third.scores).filter(([id]) => !inHead.has(id))
  const scale = (0.99 * (head.slice(0, 10).at(-1)?.[1] ?? 0)) / (tail[0]?.[1] ?? 1)
  return final([...head.slice(0, 10), ...tail.map(([id, s]): [string, number] => [id, s * scale])])
}
