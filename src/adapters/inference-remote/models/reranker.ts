import { batchesOf, mapBatches } from '../../../async/pieces.ts'
import type { Reranker } from '../../../ports/models/reranker.ts'
import { type Guard, malformed } from '../calls/guard.ts'

export interface RerankerOptions {
  name: string
  /** Maximum number of texts in one request. */
  batch: number
  guard: Guard
  /** The score of each text that was scored, by its index. */
  request(query: string, texts: readonly string[], signal: AbortSignal): Promise<{ index: number; score: number }[]>
}

/** Cross-encoders read a few hundred tokens, at most a few thousand. UTF-16 units. */
const longestText = 4_000

/** A cross-encoder of a provider. A hit without text cannot be read: it keeps its score. */
export function createRemoteReranker({ name, batch, guard, request }: RerankerOptions): Reranker {
  return {
    model: name,
    depth: 50,
    score: async (query, candidates, signal) => {
      const read = candidates.flatMap(({ text }, i) => (text.trim() === '' ? [] : [{ i, text: prefix(text) }]))
      const batches = batchesOf(read, { maxItems: batch })
      const found = await mapBatches(batches, batches.length, (part) =>
        guard.run(
          async (within) => {
            const texts = part.map(({ text }) => text)
            return scoresInOrder(await request(query, texts, within), texts.length)
          },
          { signal, urgent: true },
        ),
      )
      const scores = candidates.map(({ score }) => score)
      const scaled = toUnitRange(found)
      for (const [n, { i }] of read.entries()) scores[i] = scaled[n] ?? 0
      return scores
    },
  }
}

const prefix = (text: string) => text.slice(0, longestText).toWellFormed()

function scoresInOrder(results: readonly { index: number; score: number }[], count: number): number[] {
  const scores = new Map(results.map(({ index, score }) => [index, score]))
  if (results.length !== count || scores.size !== count)
    throw malformed(`answered ${results.length} scores of ${count}`)
  return Array.from({ length: count }, (_, i) => {
    const score = scores.get(i)
    if (score === undefined || !Number.isFinite(score)) throw malformed('answered with something that is not a score')
    return score
  })
}

/** Some servers return logits; the logistic function keeps their order. */
const toUnitRange = (scores: readonly number[]) =>
  scores.every((score) => score >= 0 && score <= 1) ? scores : scores.map((score) => 1 / (1 + Math.exp(-score)))
