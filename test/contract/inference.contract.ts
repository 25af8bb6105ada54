import { describe, expect, it } from 'vitest'
import { planes } from '../../src/model/unit.ts'
import type { Inference } from '../../src/ports/models/inference.ts'

/** The contract of the inference port, for every provider. */
export function inferenceContract(name: string, create: () => Promise<Inference>): void {
  const texts = ['The cat sat on the mat.', '', 'Quarterly revenue grew', ' \n?!', '東京に住んでいます']

  describe(`inference: ${name}`, () => {
    it('answers', async () => {
      await (await create()).ping()
    })

    for (const plane of planes) {
      it(`embeds each text of plane ${plane}, in order, to a vector of length 1 with the model’s dims`, async () => {
        const inference = await create()
        const { name: model, dims } = inference.model(plane)
        expect(model).not.toBe('')
        const vectors = await inference.embed(plane, texts, 'passage')
        expect(vectors.map((vector) => vector?.length ?? null)).toEqual([dims, null, dims, null, dims])
        for (const vector of vectors) if (vector !== null) expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
      })
    }

    it('embeds nothing to nothing', async () => {
      expect(await (await create()).embed('text', [], 'passage')).toEqual([])
    })

    it('embeds a text the same alone and in company', async () => {
      const inference = await create()
      const together = await inference.embed('text', texts, 'passage')
      for (const [i, text] of texts.entries()) {
        const [alone] = await inference.embed('text', [text], 'passage')
        expect(similarity(alone, together[i])).toBeCloseTo(text.trim().length > 2 ? 1 : 0, 3)
      }
    })

    it('finds like texts more alike than unlike ones', async () => {
      const inference = await create()
      const [asked, like, unlike] = await inference.embed(
        'text',
        ['how do I reset my password', 'Resetting a forgotten password', 'Boundary layer flow over a flat plate'],
        'passage',
      )
      expect(similarity(asked, like)).toBeGreaterThan(similarity(asked, unlike))
    })
  })
}

/** Cosine of vectors of length 1; 0 if either is missing. */
export function similarity(a: Float32Array | null | undefined, b: Float32Array | null | undefined): number {
  if (a == null || b == null) return 0
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
}
