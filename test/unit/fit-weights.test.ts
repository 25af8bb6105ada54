import { describe, expect, it } from 'vitest'
import { fitOf, fitTable, type Gains } from '../../src/cli/evaluate/command.ts'

const gains = (...values: number[]): Gains => new Map(values.map((value, i) => [`q${i}`, value]))

describe('the weight that golden queries call for', () => {
  it('is another than the default only if it is significantly better', () => {
    const base = [0.5, 0.6, 0.4, 0.5, 0.7, 0.3]
    const slightly = base.map((value, i) => value + (i % 2 === 0 ? 0.3 : -0.25))
    const clearly = base.map((value, i) => value + 0.1 + 0.01 * i)
    const best = base.map((value, i) => value + 0.15 + 0.01 * i)
    const fitted = (...others: [number, number[]][]) =>
      fitOf(new Map([[2, gains(...base)], ...others.map(([weight, values]) => [weight, gains(...values)] as const)]))
    expect(fitted([6, slightly]).best).toBe(2)
    expect(fitted([6, clearly]).best).toBe(6)
    expect(fitted([6, clearly], [1.5, best]).best).toBe(1.5)
    expect(fitTable(fitted([6, clearly]))).toContain('VECTOR_WEIGHTS=MODEL=6')
    expect(fitTable(fitted([6, slightly]))).toContain('no weight is significantly better than the default, 2')
  })

  it('needs two queries that expect a Unit', () => {
    expect(() => fitOf(new Map([[2, gains(1)]]))).toThrow('at least two golden queries')
  })
})
