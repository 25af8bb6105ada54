import { z } from 'zod'
import { checkedLater, text } from '../input/parse.ts'

/** Of a namespace. */
export const maxRules = 1_000
const maxWords = 20

const phrase = text(200)
  .transform((written) => written.trim().replace(/\s+/gu, ' '))
  .refine(
    (written) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(written),
    'must have a letter, a digit or an emoji',
  )
  .refine((written) => written.split(' ').length <= 5, 'must be at most 5 words')

const words = (min: number) =>
  z.array(phrase, 'must be a list').min(min, `must be at least ${min}`).max(maxWords, `must be at most ${maxWords}`)

export const group = words(2)
export const oneWayRule = z
  .strictObject({
    from: phrase.describe('A word or phrase of a query, of at most 5 words.'),
    to: words(1).describe('What is found as well.'),
  })
  .meta({
    title: 'OneWaySynonymInput',
    about: 'What a query with a word or phrase finds as well, but not the reverse.',
  })

const rulesOf = <S extends z.ZodType>(rule: S) =>
  z.array(checkedLater(rule), 'must be a list').max(maxRules, `must be at most ${maxRules}`).default([])

export const synonymsInput = z
  .strictObject({
    groups: rulesOf(group).describe('Words or phrases of at most 5 words: each stands for all others of its group.'),
    oneWay: rulesOf(oneWayRule).describe('Words or phrases that stand for others, but not the reverse.'),
  })
  .meta({ title: 'SynonymsInput', about: 'All synonyms of a namespace.' })

export type SynonymsInput = z.output<typeof synonymsInput>
