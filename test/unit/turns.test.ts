import { describe, expect, it } from 'vitest'
import { weightOfQuery } from '../../src/domain/turns/turns.ts'

describe('the weight of a query', () => {
  const asked = {
    ...{ q: 'a', vector: {}, topK: 10, filters: [], rerank: false, minScore: 0, diversity: 0 },
    ...{ offset: 0, groupSize: 1, sort: [], snippetLength: 0, boost: [], facets: [], facetsLimit: 20 },
  }
  const weight = (options: { answer: boolean; agentic: boolean; maxSteps: number }) =>
    Math.round(weightOfQuery({ ...asked, ...options }))

  it('grows with the searches that its answer may make', () => {
    const search = weight({ answer: false, agentic: true, maxSteps: 8 })
    expect(weight({ answer: true, agentic: true, maxSteps: 1 })).toBe(search)
    expect(weight({ answer: true, agentic: false, maxSteps: 8 })).toBe(search)
    expect(weight({ answer: true, agentic: true, maxSteps: 4 })).toBe(search + 3)
    expect(weight({ answer: true, agentic: true, maxSteps: 8 })).toBe(search + 7)
  })

  it('grows with what it looks at beyond the best hits', () => {
    const search = { ...asked, answer: false, agentic: false, maxSteps: 1 }
    const least = weightOfQuery(search)
    for (const more of [
      { offset: 10 },
      { facets: ['plane'] as const },
      { boost: [{ by: 'createdAt', halfLifeDays: 1 }] as const },
      { groupBy: 'docId' as const },
      { sort: [{ by: 'createdAt', order: 'asc' }] as const },
    ])
      expect(weightOfQuery({ ...search, ...more })).toBeGreaterThan(least + 5)
    expect(weightOfQuery({ ...search, groupSize: 5 })).toBeGreaterThan(least + 2)
  })
})
