import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fileFormats } from '../../src/adapters/parsers/formats.ts'

test('docs/ingest.md lists the formats that are read', () => {
  const rows = fileFormats.map(({ name, extensions }) => `| ${name} | ${extensions.join(', ')} |`)
  const table = ['| format | extensions |', '|---|---|', ...rows].join('\n')
  expect(readFileSync('docs/ingest.md', 'utf8')).toContain(`\n${table}\n`)
})
