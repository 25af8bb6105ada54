import { expect, test } from 'vitest'
import { offsetsOfLines, pieceAt, piecesOf } from '../../console/src/pages/view/lines.ts'
import { placeText, segmentsOf, spansOf, timeText } from '../../console/src/pages/view/places.ts'

const textOf = (text: string) => piecesOf(text).map(({ number, start, end }) => [number, text.slice(start, end)])

test('a line ends at LF or CRLF, and a lone CR is text', () => {
  expect(textOf('a\r\nb\n\nc\rd')).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, ''],
    [4, 'c\rd'],
  ])
  expect(textOf('')).toEqual([[1, '']])
  expect(textOf('end\n')).toEqual([[1, 'end']])
})

test('a long line comes in pieces, never within a character', () => {
  const line = 'x'.repeat(1_999) + '\u{1f600}'.repeat(1_500)
  const pieces = textOf(line)
  expect(pieces.map(([number]) => number)).toEqual([1, null, null])
  expect(pieces.map(([, text]) => text).join('')).toBe(line)
  expect(pieces.every(([, text]) => String(text).isWellFormed())).toBe(true)
})

test('spans of characters and lines mark the text where they lie', () => {
  const text = 'one\r\ntwo\nthree\n'
  const pieces = piecesOf(text)
  expect(offsetsOfLines(pieces, 2, 3)).toEqual([5, 14])
  expect(offsetsOfLines(pieces, 9, 9)).toBeNull()
  const spans = spansOf(
    [
      { unitId: 'lines', locator: { __typename: 'LineRange', start: 2, end: 2 } },
      { unitId: 'span', locator: { __typename: 'CharSpan', start: 6, end: 99 } },
      { unitId: 'page', locator: { __typename: 'BoundingBox', page: 1, x: 0, y: 0, w: 1, h: 1 } },
      { unitId: 'none', locator: null },
    ],
    pieces,
    text.length,
  )
  const [, second] = pieces
  const marked = second ? segmentsOf(second, spans) : []
  expect(marked.map(({ start, end, unitIds }) => [text.slice(start, end), unitIds])).toEqual([
    ['t', ['lines']],
    ['wo', ['lines', 'span']],
  ])
  expect([0, 4, 5, 8, 9, 999].map((offset) => pieceAt(pieces, offset))).toEqual([0, 0, 1, 1, 2, 2])
})

test('places in words', () => {
  expect([0, 61_000, 3_661_999].map(timeText)).toEqual(['0:00', '1:01', '1:01:01'])
  expect(placeText({ unitId: 'u', locator: { __typename: 'LineRange', start: 4, end: 4 } })).toBe('line 4')
  expect(placeText({ unitId: 'u', locator: { __typename: 'BoundingBox', page: 3, x: 0, y: 0, w: 1, h: 1 } })).toBe(
    'page 3',
  )
  expect(placeText({ unitId: 'u' })).toBeNull()
})
