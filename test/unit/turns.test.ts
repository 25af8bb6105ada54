import { describe, expect, it } from 'vitest'
import { weightOfQuery } from '../../src/domain/turns/turns.ts'

describe('the weight of a query', () => {
  const asked = { q: 'a', vector: {}, topK: 10, filters: {}, rerank: false, minScore: 0, diversity: 0 }
  const weight = (options: { answer: boolean; agentic: boolean; maxSteps: number }) =>
    Math.round(weightOfQuery({ ...asked, ...options }))

  it('grows with the searches that its answer may make', () => {
    const search = weight({ answer: false, agentic: true, maxSteps: 8 })
    expect(weight({ answer: true, agentic: true, maxSteps: 1 })).toBe(search)
    expect(weight({ answer: true, agentic: false, maxSteps: 8 })).toBe(search)
    expect(weight({ answer: true, agentic: true, maxSteps: 4 })).toBe(search + 3)
    expect(weight({ answer: true, agentic: true, maxSteps: 8 })).toBe(search + 7)
  })
})
