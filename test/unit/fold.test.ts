import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/adapters/index-embedded/analysis/fold.ts'

/** Letters, marks and halves of characters, most of which combine with others. */
const letters = [
  ...['a', ' ', '\n', 'É', 'ß', 'İ', 'ı', 'ς', 'Σ', 'й', 'Ж', 'ب', 'أ', 'क', 'ि', '़', '１', '漢', 'ﬁ', '\u{ad}', '😀'],
  ...['か', 'ｶ', 'ﾞ', '\u3099', '한', 'ᄒ', 'ᅡ', 'ᆫ', '\u0301', '\u0323', '\u064e', '\u05b7'],
  ...['\u{1d15e}', '\u{1d165}', '\ud800', '\udc00'],
]

/** What is folded together: runs of ASCII, runs of jamo, a character with its marks. */
const pieces = /[^\u{80}-\u{10ffff}]+(?!\p{M})|[\u1100-\u11ff]+|[\s\S][\p{M}\uff9e\uff9f]{0,16}/gu
const isAscii = /^[^\u{80}-\u{10ffff}]*$/u

describe('folding', () => {
  it('folds and locates each piece of a text as if it were alone', () => {
    const texts = fc.array(fc.constantFrom(...letters), { maxLength: 60 }).map((some) => some.join(''))
    const check = fc.property(texts, (text) => {
      const expected = [...text.matchAll(pieces)].flatMap(({ 0: piece, index }) =>
        fold(piece)
          .text.split('')
          .map((unit, i) =>
            isAscii.test(piece)
              ? { unit, start: index + i, end: index + i + 1 }
              : { unit, start: index, end: index + piece.length },
          ),
      )
      const { text: folded, spans } = fold(text)
      const found = folded.split('').map((unit, i) => ({
        unit,
        start: spans ? spans.starts[i] : i,
        end: spans ? spans.ends[i] : i + 1,
      }))
      expect(found).toEqual(expected)
    })
    void fc.assert(check, { numRuns: 2_000 })
  })

  it('strips accents and soft hyphens, and keeps marks that are part of the spelling', () => {
    const texts = ['E\u0301té', 'Œuvre', 'İı', 'ΣΑΣ', 'co\u{ad}op', 'हिन्दी', 'ｶﾞ', '\u1112\u1161\u11ab글']
    const folded = ['ete', 'oeuvre', 'ii', 'σασ', 'coop', 'हिन्दी', 'ガ', '한글']
    expect(texts.map((text) => fold(text).text)).toEqual(folded)
  })
})
