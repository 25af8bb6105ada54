import { expect, it } from 'vitest'
import { createTestParser } from '../../support/documents/parse.ts'

it('text that no store can hold is replaced, in its place', async () => {
  await using parser = await createTestParser()
  const source = ['a \ud83d\ude00 smile, ', 'half \ud83d of one, ', 'and \u0000 nothing']
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [{ cell_type: 'markdown', metadata: {}, source }],
  }
  const { text, units } = await parser.parseBytes('notes.ipynb', Buffer.from(JSON.stringify(notebook)))
  expect(text).toContain('a \ud83d\ude00 smile, half \ufffd of one, and \ufffd nothing')
  for (const unit of units) expect(unit.text).toSatisfy((one: string) => one.isWellFormed() && !one.includes('\0'))
})
