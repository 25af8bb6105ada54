import { expect, test } from 'vitest'
import { createProgress } from '../../src/cli/transfer/command.ts'

test.each([
  { isTTY: true, written: ['\r\u001b[K200 of 900 records', '\r\u001b[K600 of 900 records', '\r\u001b[K'] },
  { isTTY: false, written: ['600 of 900 records\n'] },
])('tells how far it is, on a terminal ($isTTY) in one line', ({ isTTY, written }) => {
  const out: string[] = []
  let time = 0
  const progress = createProgress({ isTTY, write: (text) => out.push(text) }, () => time)
  for (const [at, records] of [
    [500, 100],
    [1_000, 200],
    [1_500, 300],
    [10_000, 600],
  ] as const) {
    time = at
    progress.at(records, 900)
  }
  progress.end()
  expect(out).toEqual(written)
})
