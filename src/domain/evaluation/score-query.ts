import type { Answer } from '../../model/answer.ts'
import { depths, type Expected, type Metric } from '../../model/evaluation.ts'

/** nDCG at `k` with binary relevance (Järvelin & Kekäläinen 2002): gains discounted by log2(rank + 1). */
export function ndcg(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const got = ranked.slice(0, k).reduce((sum, id, rank) => sum + (relevant.has(id) ? gain(rank) : 0), 0)
  let ideal = 0
  for (let rank = 0; rank < Math.min(k, relevant.size); rank++) ideal += gain(rank)
  return ideal === 0 ? 0 : got / ideal
}

/** The share of relevant documents among the first `k`. */
export function recall(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return ranked.slice(0, k).filter((id) => relevant.has(id)).length / relevant.size
}

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

/** 1 / the rank of the first relevant document among the first `k`; 0 for none (Voorhees 1999). */
export function reciprocalRank(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  const at = ranked.slice(0, k).findIndex((id) => relevant.has(id))
  return at < 0 ? 0 : 1 / (at + 1)
}

const words = new Intl.Segmenter('en', { granularity: 'word' })

/** How often each word occurs, ignoring case and Unicode form. */
function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { segment, isWordLike } of words.segment(text.normalize('NFKC').toLowerCase())) {
    if (isWordLike) counts.set(segment, (counts.get(segment) ?? 0) + 1)
  }
  return counts
}

/** Whether an expected text has a word: without one, no answer could contain it. */
export const hasWord = (text: string): boolean => wordCounts(text).size > 0

/** The share of the words of the expected text in an answer, counting repetitions (ROUGE-1 recall, Lin 2004). */
export function wordRecall(answer: string, expected: string): number {
  const held = wordCounts(answer)
  let [found, all] = [0, 0]
  for (const [word, count] of wordCounts(expected)) {
    found += Math.min(count, held.get(word) ?? 0)
    all += count
  }
  return all === 0 ? 0 : found / all
}

/** The value at or below which a share `p` of the values lies, by nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}

/** The parts of a hit that scoring uses. */
interface Found {
  unitId: string
  externalId: string | null
}

type Values = Partial<Record<Metric, number>>

/**
 * Scores how well a ranking matches a golden query. An expected id that is not among the hits, because it is unknown,
 * hidden or ranked too low, counts as not found. A query that expects no Unit is not measured.
 */
export function scoreRanking(expected: Expected, hits: readonly Found[]): Values {
  const relevant = new Set([...expected.unitIds.map(byUnit), ...expected.externalIds.map(byExternal)])
  if (relevant.size === 0) return {}
  const ranked = rankedKeys(expected, hits)
  return {
    'ndcg@10': ndcg(ranked, relevant, depths.ndcg),
    'recall@50': recall(ranked, relevant, depths.recall),
    'mrr@50': reciprocalRank(ranked, relevant, depths.recall),
  }
}

/** The same for an answer from these hits. An abstention cites nothing, so it has no precision to measure. */
export function scoreAnswer(expected: Expected, answer: Answer, hits: readonly Found[]): Values {
  const { answers, unitIds, externalIds } = expected
  const values: Values = { answered: answer.abstained ? 0 : 1 }
  if (answers.length > 0) {
    const recalls = answers.map((text) => wordRecall(answer.text, text))
    values.answer_recall = answer.abstained ? 0 : Math.max(...recalls)
  }
  if (answer.nliFaithfulness !== null) values.faithfulness = answer.nliFaithfulness
  if (answer.citations.length > 0 && unitIds.length + externalIds.length > 0) {
    const units = new Map(hits.map((hit) => [hit.unitId, hit]))
    const right = answer.citations.map(({ unitId }) => {
      const cited = units.get(unitId)
      return cited && keyOf(expected)(cited).kind === 'expected' ? 1 : 0
    })
    values.citation_precision = mean(right)
  }
  return values
}

// Ids of the two kinds must not be confused.
const byUnit = (id: string) => `unit ${id}`
const byExternal = (id: string) => `external ${id}`

/** The expected id that a hit counts for, otherwise its own. */
function keyOf({ unitIds, externalIds }: Expected) {
  const [units, externals] = [new Set(unitIds), new Set(externalIds)]
  return ({ unitId, externalId }: Found) => {
    if (units.has(unitId)) return { kind: 'expected', key: byUnit(unitId) }
    if (externalId !== null && externals.has(externalId)) return { kind: 'expected', key: byExternal(externalId) }
    return { kind: 'other', key: byUnit(unitId) }
  }
}

/** Several Units may have the same external id, in other scopes or by other writers: only the first one counts. */
function rankedKeys(expected: Expected, hits: readonly Found[]): string[] {
  const seen = new Set<string>()
  return hits.map(keyOf(expected)).map(({ key }, rank) => {
    // The others stay as misses, which lower the rank of those behind them.
    if (seen.has(key)) return `again ${rank}`
    seen.add(key)
    return key
  })
}
