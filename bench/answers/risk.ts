/**
 * Risk against coverage, and whether `confidence` is a probability: `npm run bench:answers -- risk`. Each question is
 * asked of its collection, of the collection without its evidence, and of another collection. With `CHAT_MODEL` and its
 * settings a chat model is measured too, with and without the judge.
 */

import type { Bindings } from '../../src/domain/bindings/bindings.ts'
import { mean } from '../../src/domain/evaluation/score-query.ts'
import type { Hit } from '../../src/model/search.ts'
import type { Collection } from '../quality/collections.ts'
import type { BenchServer } from '../support/server.ts'
import { answerFrom, hitsOf } from './ask.ts'

type Condition = 'own' | 'removed' | 'foreign'

/** What a method answers to one question when it answers whatever it can. */
interface Outcome {
  collection: string
  condition: Condition
  /** 0..1; null if it abstains anyway. */
  confidence: number | null
  /** The first citation is of a relevant document. */
  right: boolean
}

interface Asked {
  collection: Collection
  own: Hit[]
  removed: Hit[]
  foreign: Hit[]
  q: string
  relevant: ReadonlySet<string>
}

const thresholds = [0, 0.2, 0.33, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
/** That of the built-in writer, in `extractive-writer.ts`. */
export const defaultThreshold = 0.33

/** The retrievals of all questions; each collection must be in the scope `answers/<name>`. */
export async function retrieveAll(server: BenchServer, collections: readonly Collection[]): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const [c, collection] of collections.entries()) {
    // XQuAD is one text in many languages, and spoken-squad has some of the same articles.
    const others = collections.filter(({ name }) => family(name) !== family(collection.name))
    for (const [i, { text: q, relevant }] of collection.queries.entries()) {
      const hits = await hitsOf(server, `answers/${collection.name}`, collection.plane, q)
      const other = others[(c + i) % others.length]
      asked.push({
        collection,
        q,
        relevant,
        own: hits,
        removed: hits.filter(({ externalId }) => !relevant.has(externalId ?? '')),
        foreign: other ? await hitsOf(server, `answers/${other.name}`, other.plane, q) : [],
      })
    }
  }
  return asked
}

const family = (name: string) => (/^xquad-|^spoken-squad$/u.test(name) ? 'squad' : name)

/** Judges nothing, to see what the judge is worth. */
const unjudged: Bindings['entailment'] = {
  method: 'none',
  threshold: 0,
  score: async (pairs) => pairs.map(() => 1),
}

/** The methods that are configured. */
export function methodsOf({ bindings }: BenchServer['runtime']): { name: string; bindings: Bindings }[] {
  const builtin = { ...bindings, writer: bindings.fallbacks.writer ?? bindings.writer }
  const methods = [{ name: 'built-in writer', bindings: builtin }]
  if (bindings.fallbacks.writer === null) return methods
  const { model } = bindings.writer
  return [
    ...methods,
    { name: `${model}, judged`, bindings },
    { name: `${model}, not judged`, bindings: { ...bindings, entailment: unjudged } },
  ]
}

export async function outcomesOf(bindings: Bindings, asked: readonly Asked[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { collection, q, relevant, ...found } of asked) {
    for (const condition of ['own', 'removed', 'foreign'] as const) {
      const { abstained, confidence, citations } = await answerFrom(bindings, q, found[condition], 0)
      const cited = found[condition].find(({ unitId }) => unitId === citations[0]?.unitId)
      outcomes.push({
        collection: collection.name,
        condition,
        confidence: abstained ? null : (confidence ?? 0),
        right: condition === 'own' && relevant.has(cited?.externalId ?? ''),
      })
    }
  }
  return outcomes
}

const answersAt = (threshold: number) => (one: Outcome) => one.confidence !== null && one.confidence >= threshold

export const curveHeaders = ['method', 'min_confidence', 'coverage', 'risk', 'without the evidence', 'of another']

/** The curve, each collection counting the same. */
export function curveRows(method: string, outcomes: readonly Outcome[]): string[][] {
  const sets = [...Map.groupBy(outcomes, ({ collection }) => collection).values()]
  return thresholds.map((threshold) => {
    const answers = answersAt(threshold)
    const share = (condition: Condition) => mean(sets.map((set) => shareOf(of(set, condition), answers)))
    const risks = sets.flatMap((set) => {
      const answered = of(set, 'own').filter(answers)
      return answered.length === 0 ? [] : [shareOf(answered, ({ right }) => !right)]
    })
    return [method, String(threshold), ...[share('own'), mean(risks), share('removed'), share('foreign')].map(percent)]
  })
}

export const collectionHeaders = [
  'method',
  'collection',
  'answered',
  'first citation right',
  'right of all',
  'without the evidence',
  'of another',
]

/** Each collection at a threshold. */
export function collectionRows(method: string, outcomes: readonly Outcome[], threshold: number): string[][] {
  const answers = answersAt(threshold)
  return [...Map.groupBy(outcomes, ({ collection }) => collection)].map(([name, set]) => {
    const answered = of(set, 'own').filter(answers)
    const right = shareOf(answered, (one) => one.right)
    const others = (['removed', 'foreign'] as const).map((condition) => shareOf(of(set, condition), answers))
    const all = shareOf(of(set, 'own'), (one) => answers(one) && one.right)
    return [method, name, ...[shareOf(of(set, 'own'), answers), right, all, ...others].map(percent)]
  })
}

export const reliabilityHeaders = ['method', 'confidence', 'number', 'mean confidence', 'share right']

/**
 * Half of the questions have an answer, and half have none: their evidence is removed, or they are foreign. Each
 * collection counts the same.
 */
export function reliabilityRows(method: string, outcomes: readonly Outcome[]): string[][] {
  const sizes = new Map<string, number>()
  const key = ({ collection, condition }: Outcome) => `${collection} ${condition}`
  for (const one of outcomes) sizes.set(key(one), (sizes.get(key(one)) ?? 0) + 1)
  const weighted = outcomes.map((one) => ({
    ...one,
    weight: (one.condition === 'own' ? 2 : 1) / (sizes.get(key(one)) ?? 1),
  }))
  return Array.from({ length: 10 }, (_, i) => i).flatMap((i) => {
    const bin = weighted.filter(
      ({ confidence }) => confidence !== null && Math.min(9, Math.floor(confidence * 10)) === i,
    )
    const total = bin.reduce((sum, { weight }) => sum + weight, 0)
    if (total === 0) return []
    const meanOf = (value: (one: Outcome) => number) =>
      (bin.reduce((sum, one) => sum + one.weight * value(one), 0) / total).toFixed(2)
    const range = `${(i / 10).toFixed(1)} to ${((i + 1) / 10).toFixed(1)}`
    return [
      [
        method,
        range,
        String(bin.length),
        meanOf(({ confidence }) => confidence ?? 0),
        meanOf(({ right }) => Number(right)),
      ],
    ]
  })
}

const of = (set: readonly Outcome[], wanted: Condition) => set.filter(({ condition }) => condition === wanted)

const shareOf = (set: readonly Outcome[], is: (one: Outcome) => boolean): number =>
  set.length === 0 ? 0 : set.filter(is).length / set.length

const percent = (share: number) => `${(100 * share).toFixed(0)} %`
