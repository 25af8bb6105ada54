import { describe, expect, it } from 'vitest'
import { auc } from '../../bench/faithfulness/auc.ts'
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createLexicalEntailment } from '../../src/domain/faithfulness/lexical-entailment.ts'
import { worked } from '../support/waited.ts'
import { inventions, paraphrases } from './faithfulness-examples.ts'

const judge = createLexicalEntailment(textAnalysis)
const score = async (premise: string, hypothesis: string) => (await judge.score([{ premise, hypothesis }]))[0]

const report =
  'The ferry Dunlin left Pier 4 at 09:15 with 120 passengers. It did not stop at Heron Island. ' +
  'Revenue rose to 36, 000 euros in March 2025, said Marit Oyelaran.'

describe('what is supported', () => {
  it.each([
    'The ferry Dunlin left Pier 4 at 09:15 with 120 passengers.',
    'The ferry left Pier 4 with 120 passengers.',
    'It did not stop at Heron Island.',
    'Revenue rose to 36,000 euros.',
    'Marit Oyelaran said revenue rose to 36,000 euros in March 2025.',
  ])('%s', async (hypothesis) => {
    expect(await score(report, hypothesis)).toBeGreaterThanOrEqual(judge.threshold)
  })

  it.each([
    ['Die Fähre fährt um acht Uhr ab.', 'Die Fähre fährt um acht Uhr ab.'],
    ['フェリーは八時に出発します。', 'フェリーは八時に出発します。'],
    ['تغادر العبارة الساعة الثامنة.', 'تغادر العبارة الساعة الثامنة.'],
    ['2 + 2 = 4', '2 + 2 = 4'],
  ])('itself, in any language: %s', async (premise, hypothesis) => {
    expect(await score(premise, hypothesis)).toBe(1)
  })
})

describe('what is not', () => {
  it.each([
    ['another number', 'The ferry Dunlin left Pier 4 at 09:15 with 150 passengers.'],
    ['another time', 'The ferry Dunlin left Pier 4 at 09:45 with 120 passengers.'],
    ['another year', 'Revenue rose to 36,000 euros in March 2024, said Marit Oyelaran.'],
    ['another month', 'Revenue rose to 36,000 euros in April 2025, said Marit Oyelaran.'],
    ['another unit', 'Revenue rose to 36,000 dollars in March 2025, said Marit Oyelaran.'],
    ['a negation', 'The ferry Dunlin never left Pier 4 at 09:15 with 120 passengers.'],
    ['a missing negation', 'It did stop at Heron Island.'],
    ['the opposite', 'Revenue fell to 36,000 euros in March 2025, said Marit Oyelaran.'],
    ['a number out of nowhere', 'It did not stop at Heron Island for 3 days.'],
    ['something else', 'Sharks sleep in the harbour.'],
    ['nothing', ''],
  ])('%s', async (_, hypothesis) => {
    expect(await score(report, hypothesis)).toBeLessThan(judge.threshold)
  })

  it('another name counts less', async () => {
    const own = (await score(report, 'In March 2025 revenue rose, said Marit Oyelaran.')) ?? 0
    expect(await score(report, 'In March 2025 revenue rose, said Freya Adeyemi.')).toBeLessThan(own)
  })

  it.each([
    ['not only', 'It was not only cheap but fast.', 'It was cheap.'],
    ['another clause', 'The pump did not fail, and the valve was replaced.', 'The valve was replaced.'],
    ['both', 'The pump did not fail on Monday. The pump did fail on Friday.', 'The pump did fail on Friday.'],
  ])('a negator negates only what it stands for: %s', async (_, premise, hypothesis) => {
    expect(await score(premise, hypothesis)).toBeGreaterThanOrEqual(judge.threshold)
  })
})

describe('one change away from the evidence', () => {
  it.each(inventions)('%s', async (_, premise, hypothesis) => {
    expect(await score(premise, hypothesis)).toBeLessThan(judge.threshold)
  })
})

describe('in other words than the evidence', () => {
  it.each(paraphrases)('%s', async (_, premise, hypothesis) => {
    expect(await score(premise, hypothesis)).toBeGreaterThanOrEqual(judge.threshold)
  })
})

describe('a long premise', () => {
  it('is read in about the time that it takes to read it', async () => {
    const premise = `${'The tide came in and the tide went out again. '.repeat(10_000)}The winch lifts five tonnes.`
    const claim = 'The tide, which came and went, lifts the winch and five tonnes of sand '.repeat(40)
    const ms = await worked(async () => {
      expect(await score(premise, 'The winch lifts five tonnes.')).toBeGreaterThanOrEqual(judge.threshold)
      expect(await score(premise, claim)).toBeLessThan(judge.threshold)
    })
    expect(ms).toBeLessThan(30_000)
  })
})

describe('AUC', () => {
  it('is how often a positive scores above a negative, ties counting half', () => {
    expect(auc([0.9, 0.1], [true, false])).toBe(1)
    expect(auc([0.1, 0.9], [true, false])).toBe(0)
    expect(auc([0.5, 0.5, 0.5], [true, false, false])).toBe(0.5)
    expect(auc([0.9, 0.4, 0.4, 0.1], [true, true, false, false])).toBe(0.875)
  })
})
