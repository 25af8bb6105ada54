import { describe, expect, it } from 'vitest'
import { fitTokens } from '../../src/adapters/inference-onnx/fit-tokens.ts'
import { groupsOf } from '../../src/adapters/inference-onnx/loaded-model.ts'
import type { TextInput } from '../../src/adapters/inference-onnx/messages.ts'

/** The number of words plus special tokens: one per text, and one more. */
const count = (input: TextInput) =>
  input.reduce((sum, text) => sum + text.split(/\s+/u).filter((word) => word !== '').length + 1, 1)

const words = (n: number, word = 'word') => Array(n).fill(word).join(' ')

describe('inputs of local models', () => {
  it('keep what the model can read, and of more the beginning', () => {
    expect(fitTokens([words(10)], 12, count)).toEqual([words(10)])
    for (const text of [words(100), `${words(5)} ${words(500, 'a')}`, words(3000, 'word,')]) {
      const [kept] = fitTokens([text], 12, count)
      expect(text.startsWith(kept)).toBe(true)
      expect(count([kept])).toBeLessThanOrEqual(12)
      expect(count([kept])).toBeGreaterThan(6)
    }
  })

  it('keep both texts of a pair, the shorter one whole if it takes less than half', () => {
    const long = words(100)
    const [query, passage] = fitTokens([words(3), long], 20, count)
    expect([query, count([query, passage ?? ''])]).toEqual([words(3), 20])
    const [premise, hypothesis] = fitTokens([long, words(4)], 20, count)
    expect([count([premise, hypothesis ?? '']), hypothesis]).toEqual([20, words(4)])
    const both = fitTokens([long, long], 20, count)
    expect(both.map((text) => count([text]) > 6)).toEqual([true, true])
    expect(count(both)).toBeLessThanOrEqual(20)
  })

  it('never begin to read what is far too long, nor end in half a character', () => {
    const asked: number[] = []
    const [kept] = fitTokens(['🦉'.repeat(1e6)], 3, (input) => {
      asked.push(input[0].length)
      return input[0].length
    })
    expect(Math.max(...asked)).toBeLessThan(100)
    expect(kept.isWellFormed()).toBe(true)
    expect(fitTokens(['a'], 3, () => 4)).toEqual([''])
  })

  it('are run in groups of little work, in order', () => {
    const inputs = Array.from({ length: 500 }, (_, i): TextInput => [words(1 + ((i * 37) % 300))])
    const groups = groupsOf(inputs, 512)
    expect(groups.flat()).toEqual(inputs)
    for (const group of groups) {
      const bytes = group.reduce((sum, [text]) => sum + text.length, 0)
      expect(group.length === 1 || bytes <= 2048).toBe(true)
    }
    expect(groupsOf([], 512)).toEqual([])
  })
})
