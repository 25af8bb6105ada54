import { expect, test } from 'vitest'
import type { LedgerLine } from '../../src/cli/ingest/report/ledger.ts'
import { createOutput } from '../../src/cli/ingest/report/output.ts'

const line = (file: string, rest: Partial<LedgerLine>): LedgerLine => ({
  ...{ file, doc_id: file, document_id: null, scope: null, status: 'ok', reason: null, detail: null },
  ...{ units: 0, bytes: null, sha256: null, time: 0 },
  ...rest,
})

function written(isTTY: boolean) {
  let [out, err, now] = ['', '', 0]
  const stream = (write: (text: string) => void) => ({ isTTY, write })
  const output = createOutput(
    stream((text) => {
      out += text
    }),
    stream((text) => {
      err += text
    }),
    { json: false },
    () => now,
  )
  const files = [
    line('a.md', { units: 12, bytes: 2_400_000 }),
    line('b.bin', { status: 'skipped', reason: 'unsupported', bytes: 100 }),
    line('c.txt', { status: 'skipped', reason: 'empty', bytes: 0 }),
    line('d.pdf', { status: 'failed', reason: 'locked', bytes: 100 }),
  ]
  for (const [i, file] of files.entries()) {
    now += 1000
    output.line(file)
    output.progress(i + 1, files.length)
  }
  output.end()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it clears the line of a terminal
  return { out: out.split('\n'), err: err.split(/\r\u001b\[K|\n/).filter((text) => text !== '') }
}

test('a terminal gets a bar with what was taken in and the time left, and in the end what was not read', () => {
  const { out, err } = written(true)
  expect(out).toEqual([''])
  expect(err).toEqual([
    `[${'#'.repeat(8)}${'-'.repeat(22)}] 1/4 files, 2.4 MB, 12 Units, 3 s left`,
    `[${'#'.repeat(15)}${'-'.repeat(15)}] 2/4 files, 2.4 MB, 12 Units, 2 s left`,
    `[${'#'.repeat(23)}${'-'.repeat(7)}] 3/4 files, 2.4 MB, 12 Units, 1 s left`,
    'failed d.pdf locked',
    `[${'#'.repeat(30)}] 4/4 files, 2.4 MB, 12 Units`,
    'skipped b.bin unsupported',
    'skipped c.txt empty',
  ])
})

test('elsewhere each file has a line', () => {
  const { out, err } = written(false)
  expect(out).toEqual([
    'ok a.md 12 Units',
    'skipped b.bin unsupported',
    'skipped c.txt empty',
    'failed d.pdf locked',
    '',
  ])
  expect(err).toEqual([])
})
