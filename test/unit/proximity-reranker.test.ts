import { expect, it } from 'vitest'
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createProximityReranker } from '../../src/domain/search/proximity-reranker.ts'

const reranker = createProximityReranker(textAnalysis)
const filler = 'gull tide rope net sail mast hull keel deck oar bow stern wake fog buoy '
const score = (query: string, texts: string[], scores = texts.map(() => 0.5)) =>
  reranker.score(
    query,
    texts.map((text, i) => ({ text, score: scores[i] ?? 0 })),
  )
const order = (scores: number[]) => scores.map((_, i) => i).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))

it('prefers texts that speak of the query in one place, and from their beginning on', async () => {
  const scores = await score('pump failure', [
    `${filler}pump ${filler}failure`,
    `${filler}pump failure ${filler}`,
    `pump failure ${filler}${filler}`,
    filler,
  ])
  expect(order(scores)).toEqual([2, 1, 0, 3])
})

it('stays within 0 and 1, and lets a clear lead stand', async () => {
  const scores = await score('pump', ['pump', filler, 'pump'], [1, 0, 0.7])
  expect(scores[0]).toBeCloseTo(1)
  expect(scores[1]).toBe(0)
  expect(order(await score('pump failure', [filler, 'pump failure'], [0.9, 0.5]))).toEqual([0, 1])
})

it('leaves texts without words where they are', async () => {
  expect(await score('pump', ['', '!?'], [0.4, 0.3])).toEqual([expect.closeTo(0.4), expect.closeTo(0.3)])
  expect(await score('', ['pump'], [0.4])).toEqual([expect.any(Number)])
  expect(await score('pump', [])).toEqual([])
})
