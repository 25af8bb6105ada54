import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatTable } from '../../src/adapters/parsers/formats.ts'

test('docs/ingest.md lists the formats that are read', () => {
  expect(readFileSync('docs/ingest.md', 'utf8')).toContain(`\n${formatTable()}\n`)
})
