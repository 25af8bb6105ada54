import { describe, expect, it } from 'vitest'
import { createFairTurns } from '../../src/domain/turns/fair-turns.ts'
import { weightOfQuery } from '../../src/domain/turns/weights.ts'

/** Work that the test ends. */
function manual() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { work: () => promise, resolve, reject }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('fair turns', () => {
  it('run what fits side by side, and keep the rest in order', async () => {
    const turns = createFairTurns(4)
    const begun: string[] = []
    const jobs = [1, 2, 4, 1].map((weight, i) => {
      const job = manual()
      const done = turns.run('a', weight, () => {
        begun.push(`${i}`)
        return job.work()
      })
      return { ...job, done }
    })
    await settled()
    expect(begun).toEqual(['0', '1'])
    jobs[0]?.resolve('ok')
    await settled()
    // Lighter work must not overtake heavier work, which would then never run.
    expect(begun).toEqual(['0', '1'])
    jobs[1]?.resolve('ok')
    await settled()
    expect(begun).toEqual(['0', '1', '2'])
    jobs[2]?.reject(new Error('failed'))
    await expect(jobs[2]?.done).rejects.toThrow('failed')
    await settled()
    expect(begun).toEqual(['0', '1', '2', '3'])
    jobs[3]?.resolve('ok')
    expect(await jobs[3]?.done).toBe('ok')
  })

  it('of one key do not wait for another, and heavier work than there is room for still runs', async () => {
    const turns = createFairTurns(4)
    const held = manual()
    const heavy = turns.run('a', 100, held.work)
    const behind = turns.run('a', 1, async () => 'behind')
    expect(await turns.run('b', 4, async () => 'b')).toBe('b')
    held.resolve('heavy')
    expect([await heavy, await behind]).toEqual(['heavy', 'behind'])
  })
})

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
