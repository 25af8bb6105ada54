import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LedgerLine, openLedger } from '../../src/cli/ingest/report/ledger.ts'
import { tempDir } from '../support/temp-dir.ts'

let folder: ReturnType<typeof tempDir>
let path: string
beforeEach(() => {
  folder = tempDir('ingest')
  path = join(folder.path, 'ledger.ndjson')
})
afterEach(() => folder.remove())

const line = (file: string, units: number): LedgerLine => ({
  ...{ file, doc_id: file, document_id: 'd', scope: 's', status: 'ok', reason: null, detail: null },
  ...{ units, bytes: 3, sha256: 'x', time: 1 },
})
const written = () => readFileSync(path, 'utf8')

function append(...lines: LedgerLine[]): void {
  const ledger = openLedger(path)
  for (const one of lines) ledger.append(one)
  ledger.close()
}

test('the last line of a file counts', () => {
  append(line('a', 1), line('b', 2), line('a', 3))
  const ledger = openLedger(path)
  expect(ledger.last('a')?.units).toBe(3)
  expect(ledger.last('c')).toBeUndefined()
  ledger.close()
})

test('a torn last line is cut off, at any byte', () => {
  append(line('a', 1))
  const before = written()
  const next = JSON.stringify(line('bé\n', 2))
  for (const torn of [next.slice(0, 1), next.slice(0, 20), next.slice(0, -1)]) {
    writeFileSync(path, before + torn)
    append(line('c', 3))
    expect(written()).toBe(`${before}${JSON.stringify(line('c', 3))}\n`)
  }
})

test('a whole last line without its end is kept', () => {
  append(line('a', 1))
  appendFileSync(path, JSON.stringify(line('b', 2)))
  append(line('c', 3))
  expect(
    written()
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one).file),
  ).toEqual(['a', 'b', 'c'])
})
