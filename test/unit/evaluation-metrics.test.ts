import { describe, expect, test } from 'vitest'
import { reportOf } from '../../src/domain/evaluation/evaluate.ts'
import {
  percentile,
  reciprocalRank,
  scoreAnswer,
  scoreRanking,
  wordRecall,
} from '../../src/domain/evaluation/score-query.ts'
import type { Answer } from '../../src/model/answer.ts'

test('the reciprocal rank is that of the first relevant one within k', () => {
  expect(reciprocalRank(['x', 'a', 'b'], new Set(['a', 'b']), 3)).toBe(0.5)
  expect(reciprocalRank(['x', 'y', 'a'], new Set(['a']), 2)).toBe(0)
})

test('words are recalled whatever their case and width, each as often as it is expected', () => {
  expect(wordRecall('It is called Bollard.', 'BOLLARD')).toBe(1)
  expect(wordRecall('Ｂollard sleeps', 'bollard the cat')).toBeCloseTo(1 / 3, 12)
  expect(wordRecall('very old', 'very very old')).toBeCloseTo(2 / 3, 12)
  expect(wordRecall('anything', '?!')).toBe(0)
})

test('a percentile is one of the values', () => {
  expect([0.5, 0.95, 1].map((p) => percentile([3, 1, 2, 4], p))).toEqual([2, 4, 4])
})

const expecting = (expected: object) => ({ unitIds: [], externalIds: [], answers: [], ...expected })
const hits = ['u1', 'u2', 'u3'].map((unitId, i) => ({ unitId, externalId: i === 2 ? null : 'shared' }))

describe('a ranking', () => {
  test('is not measured against nothing', () => {
    expect(scoreRanking(expecting({ answers: ['a'] }), hits)).toEqual({})
  })

  test('counts an external id once, however many Units have it', () => {
    expect(scoreRanking(expecting({ externalIds: ['shared', 'none'] }), hits)).toEqual({
      'ndcg@10': 1 / (1 + 1 / Math.log2(3)),
      'recall@50': 0.5,
      'mrr@50': 1,
    })
  })

  test('does not take an id of one kind for one of the other', () => {
    expect(scoreRanking(expecting({ unitIds: ['shared'], externalIds: ['u1'] }), hits)).toMatchObject({
      'recall@50': 0,
    })
  })
})

describe('an answer', () => {
  const citation = (unitId: string) => ({
    ...{ marker: 1, unitId, quote: '', start: 0, end: 0, sha256: '', locator: null, sourceUri: null },
  })
  const answer: Answer = {
    text: 'Bollard. [1]',
    citations: [citation('u1'), citation('u3')],
    sentences: [],
    nliFaithfulness: 0.75,
    confidence: 0.5,
    faithfulness: { method: 'm', min: 0.5, unsupported: [] },
    abstained: false,
    model: 'm',
  }

  test('is measured by what it cites and says', () => {
    expect(scoreAnswer(expecting({ externalIds: ['shared'], answers: ['Tom', 'Bollard'] }), answer, hits)).toEqual({
      answered: 1,
      answer_recall: 1,
      faithfulness: 0.75,
      citation_precision: 0.5,
    })
    expect(scoreAnswer(expecting({ answers: ['Tom'] }), answer, hits)).toEqual({
      answered: 1,
      answer_recall: 0,
      faithfulness: 0.75,
    })
  })

  test('that is an abstention answers nothing, and is neither faithful nor unfaithful', () => {
    const abstained = { ...answer, text: 'Bollard', citations: [], nliFaithfulness: null, abstained: true }
    expect(scoreAnswer(expecting({ unitIds: ['u1'], answers: ['Bollard'] }), abstained, hits)).toEqual({
      answered: 0,
      answer_recall: 0,
    })
  })
})

test('a report is about the queries that a metric says something about, and about nothing for none', () => {
  const scores = [{ 'ndcg@10': 1 }, { 'ndcg@10': 0, faithfulness: 0.5 }, {}].map((values, i) => ({
    goldenQueryId: `q${i}`,
    values,
    searchMs: i + 1,
    answerMs: i === 0 ? 9 : null,
    degraded: i === 1,
  }))
  expect(reportOf(scores)).toEqual({
    evals: [
      { metric: 'ndcg@10', mean: 0.5, low: 0, high: 1, queries: 2 },
      { metric: 'faithfulness', mean: 0.5, low: 0.5, high: 0.5, queries: 1 },
    ],
    benchmarks: [
      { operation: 'search', p50Ms: 2, p95Ms: 3, queries: 3 },
      { operation: 'answer', p50Ms: 9, p95Ms: 9, queries: 1 },
    ],
    queries: 3,
    degraded: 1,
  })
  expect(reportOf([])).toEqual({ evals: [], benchmarks: [], queries: 0, degraded: 0 })
})
