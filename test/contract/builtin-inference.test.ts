import { describe, expect, it } from 'vitest'
import { createBuiltinInference } from '../../src/adapters/inference-builtin/builtin-inference.ts'
import { worked } from '../support/waited.ts'
import { inferenceContract, similarity } from './inference.contract.ts'

inferenceContract('builtin', async () => createBuiltinInference())

describe('the built-in inference', () => {
  const embed = async (...texts: string[]) => createBuiltinInference().embed('text', texts, 'passage')

  it('says what it is', () => {
    expect(createBuiltinInference().model('visual')).toEqual({
      name: 'hashed-ngrams-512',
      dims: 512,
      builtin: true,
      fallback: true,
      atOnce: Number.POSITIVE_INFINITY,
    })
  })

  it('ignores case, accents and punctuation', async () => {
    const [plain, dressed] = await embed('cafe au lait', 'CAFÉ, au lait!')
    expect(dressed).toEqual(plain)
  })

  it('takes any number of combining marks in its stride', async () => {
    const ms = await worked(async () => {
      const [plain, marked] = await embed('e', `é${'\u0301\u0316'.repeat(100_000)}`)
      expect(marked).toEqual(plain)
    })
    expect(ms).toBeLessThan(2_000)
  })

  it('survives typos', async () => {
    const [right, wrong, other] = await embed('boundary layer transition', 'boundry layr transtion', 'heat conduction')
    expect(similarity(right, wrong)).toBeGreaterThan(similarity(right, other) + 0.2)
  })

  it('embeds phrases of scripts without spaces near each other', async () => {
    const [asked, like, unlike] = await embed('東京', '私は東京に住んでいます', '我们喜欢机器学习')
    expect(similarity(asked, like)).toBeGreaterThan(similarity(asked, unlike) + 0.2)
  })
})
