import { expect, it } from 'vitest'
import { sentences } from '../../src/domain/text/sentences.ts'

const cut = (text: string) => sentences(text).map(({ start, end }) => text.slice(start, end))

it.each<[string, string, string[]]>([
  ['sentences', 'One is here. Two is there! Is three?', ['One is here.', 'Two is there!', 'Is three?']],
  [
    'titles and initials',
    'Dr. Ada B. Lind met Mr. Moe at No. 4. They left.',
    ['Dr. Ada B. Lind met Mr. Moe at No. 4.', 'They left.'],
  ],
  [
    'wrapped lines',
    'The pump was\nreplaced on\nthe quay.\nAll is well.',
    ['The pump was\nreplaced on\nthe quay.', 'All is well.'],
  ],
  ['lines of a form', 'TOTAL:\n9.00\nCASH\n10.00', ['TOTAL:', '9.00', 'CASH', '10.00']],
  [
    'tokenised text',
    'a wing in a slipstream . an experimental study',
    ['a wing in a slipstream .', 'an experimental study'],
  ],
  ['decimals', 'It took 3.5 hours. Then 2.', ['It took 3.5 hours.', 'Then 2.']],
  ['Japanese', '八時に出発。犬は無料です。', ['八時に出発。', '犬は無料です。']],
  ['white space alone', ' \n\t ', []],
  ['nothing', '', []],
])('%s', (_, text, expected) => {
  expect(cut(text)).toEqual(expected)
})

it('cuts what has no end between words, and between whole characters', () => {
  const words = cut('word '.repeat(500))
  expect(words.length).toBeGreaterThan(5)
  expect(words.every((piece) => piece.length <= 400 && /^word( word)*$/.test(piece))).toBe(true)
  const signs = `x${'🛟'.repeat(500)}`
  expect(cut(signs).every((piece) => piece.isWellFormed())).toBe(true)
  expect(cut(signs).join('')).toBe(signs)
})
