import { expect, test } from 'vitest'
import { createProgress } from '../../src/cli/evaluate/command.ts'
import { shortfalls, table } from '../../src/cli/evaluate/run.ts'

function shown(isTTY: boolean, steps: readonly (readonly [asked: number, total: number])[]): string {
  let [output, time] = ['', 0]
  const out = { isTTY, write: (text: string) => (output += text) }
  const progress = createProgress(out, () => time)
  for (const [asked, total] of steps) {
    progress(asked, total)
    time += 1000
  }
  return output
}

test('a terminal gets one bar, which says how long it takes by what it has seen', () => {
  const frames = shown(true, [
    [40, 60],
    [50, 60],
    [60, 60],
  ])
    .split('\r\u001b[K')
    .slice(1)
  expect(frames).toEqual([
    `[${'#'.repeat(20)}${'-'.repeat(10)}] 40/60`,
    `[${'#'.repeat(25)}${'-'.repeat(5)}] 50/60, 1 s left`,
    `[${'#'.repeat(30)}] 60/60\n`,
  ])
  expect(shown(true, [[0, 0]])).toContain(`[${'#'.repeat(30)}] 0/0\n`)
})

test('a file gets a line each time', () => {
  expect(
    shown(false, [
      [10, 12],
      [12, 12],
    ]),
  ).toBe('asked 10 of 12\nasked 12 of 12\n')
})

const report = {
  evals: [{ metric: 'ndcg@10', mean: 0.5, low: 0.25, high: 0.75, queries: 8 }],
  benchmarks: [],
  queries: 9,
  degraded: 2,
}

test('the table says when its figures are too low', () => {
  expect(table(report)).toBe(
    [
      'metric    mean   95 % interval  queries',
      'ndcg@10  0.500  [0.250, 0.750]        8',
      '',
      '9 queries; part of the service failed during 2 of them: the figures are too low',
    ].join('\n'),
  )
})

test('a minimum is missed by less, and by what was not measured', () => {
  expect(shortfalls(report, new Map([['ndcg@10', 0.5]]))).toEqual([])
  expect(
    shortfalls(
      report,
      new Map([
        ['ndcg@10', 0.6],
        ['mrr@50', 0],
      ]),
    ),
  ).toEqual(['ndcg@10 is 0.500, below 0.6', 'mrr@50 was not measured'])
})
