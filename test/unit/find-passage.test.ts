import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findPassage, highlights } from '../../src/adapters/index-embedded/analysis/find-passage.ts'

const filler = (words: number) => Array.from({ length: words }, (_, i) => `filler${i}`).join(' ')

describe('the best passage of a text', () => {
  it('is the whole text where that fits', () => {
    const text = 'The pier of the harbour.'
    expect(findPassage({ text: 'pier' }, text, 100)).toEqual({
      start: 0,
      end: text.length,
      highlights: [{ start: 4, end: 8 }],
    })
  })

  it('is where most different words of the query stand, not where one is repeated', () => {
    const repeated = 'pier '.repeat(20)
    const text = `${repeated}${filler(2000)} The harbour pier burned in spring. ${filler(2000)}`
    const { start, end, highlights } = findPassage({ text: 'harbour pier spring' }, text, 4_096)
    expect(text.slice(start, end)).toContain('The harbour pier burned in spring.')
    expect(highlights.map(({ start, end }) => text.slice(start, end))).toEqual(['harbour', 'pier', 'spring'])
  })

  it('is the first one of equals, and the beginning of a text that says nothing of the query', () => {
    const text = `${filler(1000)} pier ${filler(3000)} pier ${filler(1000)}`
    const { start, end } = findPassage({ text: 'pier' }, text, 4_096)
    expect(start).toBeLessThan(text.indexOf('pier'))
    expect(end).toBeLessThan(text.lastIndexOf('pier'))
    expect(findPassage({ text: 'absent' }, text, 4_096)).toMatchObject({ start: 0, highlights: [] })
  })

  it('marks a text of more than 300 words only in its best passage, and a shorter one everywhere', () => {
    const marked = (words: number) => {
      const text = `pier ${filler(words)} The pier of the harbour burned. ${filler(words)} harbour`
      return findPassage({ text: 'harbour pier' }, text, 16_384).highlights.map(({ start, end }) =>
        text.slice(start, end),
      )
    }
    expect(marked(100)).toEqual(['pier', 'pier', 'harbour', 'harbour'])
    expect(marked(400)).toEqual(['pier', 'harbour'])
  })

  it('prefers the rare word of the query to the one that stands everywhere', () => {
    const text = `${'pier pier '.repeat(30)}${'walk to the pier '.repeat(300)} the harbour pier. ${'walk to the pier '.repeat(300)}`
    const { start, end, highlights } = findPassage({ text: 'pier harbour' }, text, 4_096)
    expect(highlights.map(({ start, end }) => text.slice(start, end))).toContain('harbour')
    expect(text.slice(start, end)).toContain('harbour')
  })

  it('begins and ends between words', () => {
    const text = `${filler(3000)} pier ${filler(3000)}`
    const { start, end } = findPassage({ text: 'pier' }, text, 4_096)
    expect(text.slice(start - 1, start)).toBe(' ')
    expect(text.slice(end, end + 1)).toBe(' ')
  })

  it('fits in its bytes, cuts no character, and has all that is marked within it', () => {
    const pieces = fc.constantFrom(
      'pier ',
      'harbour ',
      'straße ',
      '橋の下 ',
      '🏗️🏗️ ',
      'filler ',
      'é'.repeat(40),
      'x'.repeat(300),
      ' ',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 200 }), fc.integer({ min: 2_100, max: 4_000 }), (words, maxBytes) => {
        const text = words.join('')
        const passage = findPassage({ text: 'pier 橋 straße' }, text, maxBytes)
        const cut = text.slice(passage.start, passage.end)
        expect(cut.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes)
        const within = highlights({ text: 'pier 橋 straße' }, text).filter(
          (h) => h.start >= passage.start && h.end <= passage.end,
        )
        const isLong = within.length > passage.highlights.length
        if (isLong) expect(within).toEqual(expect.arrayContaining(passage.highlights))
        else expect(passage.highlights).toEqual(within)
        if (text !== '' && Buffer.byteLength(text) > maxBytes) expect(Buffer.byteLength(cut)).toBeGreaterThan(0)
      }),
    )
  })
})
