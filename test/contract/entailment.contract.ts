import { describe, expect, it } from 'vitest'
import type { Entailment } from '../../src/ports/models/entailment.ts'

/** The contract of the entailment port, for every provider. */
export function entailmentContract(name: string, create: () => Promise<Entailment>): void {
  describe(`entailment: ${name}`, () => {
    const premise = 'The keeper lights the lamp at dusk.'

    it('scores each pair from 0 to 1, in order: what follows reaches the threshold, what does not stays below', async () => {
      const { method, threshold, score } = await create()
      expect(method).not.toBe('')
      const [follows = 0, unrelated = 1] = await score([
        { premise, hypothesis: 'The keeper lights the lamp at dusk.' },
        { premise, hypothesis: 'Ferries leave twice a day.' },
      ])
      expect(follows).toBeGreaterThanOrEqual(threshold)
      expect(unrelated).toBeLessThan(threshold)
      expect(follows <= 1 && unrelated >= 0).toBe(true)
    })

    it('scores many pairs, and none', async () => {
      const { score } = await create()
      const pairs = Array.from({ length: 70 }, (_, i) => ({ premise, hypothesis: `Sentence ${i} of many.` }))
      expect(await score(pairs)).toHaveLength(70)
      expect(await score([])).toEqual([])
    })
  })
}
