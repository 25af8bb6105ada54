import { expect, test } from 'vitest'
import { pageAt, placesOf } from '../../console/src/pages/view/find.ts'
import { columnName, mailOf, partsOf, rowsOf, separatorOf } from '../../console/src/pages/view/layout.ts'
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

test('words are found whatever their case, and lead to their page', () => {
  const text = 'Berth one\fberth two\f'
  expect(placesOf('BERTH', text)).toEqual([0, 10])
  expect(placesOf('', text)).toEqual([])
  expect(placesOf('aa', 'aaaa')).toEqual([0, 2])
  // The small form of this letter is two.
  expect(placesOf('x', '\u0130x')).toEqual([1])
  expect([0, 10, 21].map((offset) => pageAt(text, offset))).toEqual([1, 2, 3])
})

test('a text falls into the sheets that its Units name, with rows and cells', () => {
  const text = 'Berth\tDepth\nNorth\t7\nYear\tFee\n2024\t1850\n'
  const pieces = piecesOf(text)
  const unit = (sheet: string, line: number) => ({
    unitId: sheet,
    metadata: { sheet },
    locator: { __typename: 'LineRange' as const, start: line, end: line },
  })
  const sheets = partsOf([unit('Fees', 4), unit('Berths', 2)], text, pieces, 'sheet')
  expect(sheets.map(({ name }) => name)).toEqual(['Berths', 'Fees'])
  const cells = sheets.map((sheet) =>
    rowsOf(sheet, text, pieces, '\t').map((row) => [
      row.number,
      ...row.cells.map((one) => text.slice(one.start, one.end)),
    ]),
  )
  expect(cells).toEqual([
    [
      [1, 'Berth', 'Depth'],
      [2, 'North', '7'],
    ],
    [
      [1, 'Year', 'Fee'],
      [2, '2024', '1850'],
    ],
  ])
  expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA'])
})

test('cells in quotes keep the separator, which the first line tells', () => {
  const text = 'name;note\n"Berth; north";\n'
  const separator = separatorOf('text/csv', text)
  const rows = rowsOf({ name: '', start: 0, end: text.length }, text, piecesOf(text), separator)
  expect(rows.map(({ cells }) => cells.map(({ start, end }) => text.slice(start, end)))).toEqual([
    ['name', 'note'],
    ['Berth; north', ''],
  ])
})

test('a message has a subject, a header and a body', () => {
  const text = 'Berth 4\n\nFrom: Ada <a@b>\nDate: today\n\nHello: Bo'
  const mail = mailOf(text)
  expect(mail?.header.map(({ name, value, end }) => [name, text.slice(value, end)])).toEqual([
    ['From', 'Ada <a@b>'],
    ['Date', 'today'],
  ])
  expect([text.slice(0, mail?.subject.end), text.slice(mail?.body).trim()]).toEqual(['Berth 4', 'Hello: Bo'])
  expect(mailOf('From: x')?.subject.end).toBe(0)
  expect(mailOf('No header')).toBeNull()
})
