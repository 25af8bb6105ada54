import { expect, test } from 'vitest'
import type { LedgerLine } from '../../src/cli/ingest/report/ledger.ts'
import { createOutput } from '../../src/cli/ingest/report/output.ts'

const line = (file: string, rest: Partial<LedgerLine>): LedgerLine => ({
  ...{ file, doc_id: file, document_id: null, scope: null, status: 'ok', reason: null, detail: null },
  ...{ units: 0, bytes: null, sha256: null, time: 0 },
  ...rest,
})

function written(isTTY: boolean, columns = 80) {
  let [out, err, now] = ['', '', 0]
  const stream = (write: (text: string) => void) => ({ isTTY, columns, write })
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
    line('d.pdf', { status: 'failed', reason: 'locked', bytes: 6_399_900 }),
    line('e', { status: 'skipped', reason: 'symlink' }),
  ]
  const sizes = files.map(({ bytes }) => bytes ?? 0)
  const amount = (files: number) => ({ files, bytes: sizes.slice(0, files).reduce((sum, bytes) => sum + bytes, 0) })
  output.progress(amount(0), amount(files.length))
  for (const [i, file] of files.entries()) {
    now += 1000
    output.line(file)
    output.progress(amount(i + 1), amount(files.length))
  }
  output.end()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it clears the line of a terminal
  return { out: out.split('\n'), err: err.split(/\r\u001b\[K|\n/).filter((text) => text !== '') }
}

test('a terminal gets a bar with what was taken in and the time left, and in the end what was not read', () => {
  const { out, err } = written(true)
  expect(out).toEqual([''])
  expect(err).toEqual([
    `[${'-'.repeat(30)}] 0/5 files, 0 kB of 8.8 MB, 0 Units`,
    // The files are further behind than the bytes, and then the bytes than the files.
    `[${'#'.repeat(5)}${'-'.repeat(24)}] 1/5 files, 2.4 MB of 8.8 MB, 12 Units, 4 s left`,
    `[${'#'.repeat(7)}${'-'.repeat(22)}] 2/5 files, 2.4 MB of 8.8 MB, 12 Units, 6 s left`,
    `[${'#'.repeat(7)}${'-'.repeat(22)}] 3/5 files, 2.4 MB of 8.8 MB, 12 Units, 8 s left`,
    'failed d.pdf locked',
    `[${'#'.repeat(23)}${'-'.repeat(6)}] 4/5 files, 8.8 MB of 8.8 MB, 12 Units, 1 s left`,
    `[${'#'.repeat(30)}] 5/5 files, 8.8 MB, 12 Units`,
    'skipped b.bin unsupported',
    'skipped c.txt empty',
    'skipped e symlink',
  ])
})

test('the bar never fills the line of a terminal', () => {
  for (const columns of [60, 70, 100]) {
    const bars = written(true, columns).err.filter((line) => line.startsWith('['))
    expect(Math.max(...bars.map((line) => line.length))).toBeLessThan(columns)
  }
})

test('elsewhere each file has a line', () => {
  const { out, err } = written(false)
  expect(out).toEqual([
    'ok a.md 12 Units',
    'skipped b.bin unsupported',
    'skipped c.txt empty',
    'failed d.pdf locked',
    'skipped e symlink',
    '',
  ])
  expect(err).toEqual([])
})
