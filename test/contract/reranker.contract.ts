import { describe, expect, it } from 'vitest'
import type { Reranker } from '../../src/ports/models/reranker.ts'

/** The contract of the reranker port, for every provider. */
export function rerankerContract(name: string, create: () => Promise<Reranker>): void {
  describe(`reranker: ${name}`, () => {
    const candidates = [
      { text: 'Boundary layer flow over a flat plate', score: 0.5 },
      { text: 'How to reset a forgotten password', score: 0.5 },
      { text: '', score: 0.4 },
      { text: 'The cat sat on the mat. '.repeat(5000), score: 0.5 },
    ]

    it('names itself and how deep it looks', async () => {
      const { model, depth } = await create()
      expect(model).not.toBe('')
      expect(depth).toBeGreaterThanOrEqual(10)
    })

    it('scores every candidate from 0 to 1, in order, the relevant one best', async () => {
      const scores = await (await create()).score('reset my password', candidates)
      expect(scores).toHaveLength(candidates.length)
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
      expect(scores[1]).toBeGreaterThan(scores[0] ?? 1)
      expect(scores[1]).toBeGreaterThan(scores[3] ?? 1)
    })

    it('scores as many as it looks at, and none', async () => {
      const reranker = await create()
      const many = Array.from({ length: reranker.depth }, (_, i) => ({ text: `password ${i}`, score: 0.5 }))
      expect(await reranker.score('password', many)).toHaveLength(reranker.depth)
      expect(await reranker.score('password', [])).toEqual([])
    })
  })
}
