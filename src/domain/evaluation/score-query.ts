import type { Answer } from '../../model/answer.ts'
import { depths, type Expected, type Metric } from '../../model/evaluation.ts'
import { mean, ndcg, recall, reciprocalRank, wordRecall } from './metrics.ts'

/** The parts of a hit that scoring uses. */
export interface Found {
  unitId: string
  externalId: string | null
}

export type Values = Partial<Record<Metric, number>>

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
