import { z } from 'zod'
import { ask } from '../program/graphql.ts'
import type { Service } from '../program/service.ts'
import { again, aligned } from './run.ts'

/** 2 is the service's default. */
const defaultWeight = 2
const weights = [0, 0.5, 1, defaultWeight, 4, 8]
/** Queries per request. */
const atOnce = 10
/** Of the normal distribution, both sides. */
const confidence95 = 1.96

const step = z.object({
  evaluate: z.object({
    run: z.object({ id: z.string(), total: z.number(), asked: z.number(), report: z.object({}).nullable() }),
    scores: z.array(
      z.object({
        goldenQueryId: z.string(),
        degraded: z.boolean(),
        values: z.array(z.object({ metric: z.string(), value: z.number() })),
      }),
    ),
  }),
})

const mutation = `mutation ($run: String, $answers: Boolean, $vectorWeight: Float, $limit: Int) {
  evaluate(run: $run, answers: $answers, vectorWeight: $vectorWeight, limit: $limit) {
    run { id total asked report { queries } }
    scores { goldenQueryId degraded values { metric value } } } }`

/** nDCG@10 by the id of the golden query. */
export type Gains = ReadonlyMap<string, number>

/** Runs the golden queries with each weight, without answers. Throws if part of the service failed: the figures would be too low. */
export async function measureWeights(
  service: Service,
  progress: (asked: number, total: number) => void,
): Promise<ReadonlyMap<number, Gains>> {
  const measured = new Map<number, Gains>()
  for (const [i, vectorWeight] of weights.entries()) {
    const gains = new Map<string, number>()
    for (let run: string | undefined; ; ) {
      const from = run === undefined ? { answers: false } : { run }
      const { evaluate } = await again(() => ask(service, step, mutation, { ...from, vectorWeight, limit: atOnce }))
      for (const { goldenQueryId, values, degraded } of evaluate.scores) {
        if (degraded) throw new Error('part of the service failed during a query: nothing was fitted')
        const gain = values.find(({ metric }) => metric === 'ndcg@10')
        if (gain) gains.set(goldenQueryId, gain.value)
      }
      const { asked, total, report, id } = evaluate.run
      progress(i * total + asked, weights.length * total)
      if (report !== null) break
      run = id
    }
    measured.set(vectorWeight, gains)
  }
  return measured
}

interface Compared {
  weight: number
  mean: number
  /** Above the default's mean, with the half width of the paired 95 % interval. */
  above: number
  margin: number
}

export interface Fit {
  compared: readonly Compared[]
  /** The weight to set: the default unless another is significantly better. */
  best: number
  queries: number
}

/** Throws where fewer than two golden queries expect a Unit. */
export function fitOf(measured: ReadonlyMap<number, Gains>): Fit {
  const base = measured.get(defaultWeight) ?? new Map<string, number>()
  const compared = [...measured].map(([weight, gains]): Compared => {
    const ids = [...gains.keys()].filter((id) => base.has(id))
    if (ids.length < 2) throw new Error('--fit takes at least two golden queries that expect a Unit')
    const differences = ids.map((id) => (gains.get(id) ?? 0) - (base.get(id) ?? 0))
    const above = mean(differences)
    const variance = differences.reduce((sum, one) => sum + (one - above) ** 2, 0) / (ids.length - 1)
    const margin = confidence95 * Math.sqrt(variance / ids.length)
    return { weight, mean: mean([...gains.values()]), above, margin }
  })
  const better = compared.filter(({ above, margin }) => above > margin)
  const best = better.toSorted((a, b) => b.mean - a.mean)[0]?.weight ?? defaultWeight
  return { compared, best, queries: base.size }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** For the terminal: each weight beside the default, and what to set. */
export function fitTable({ compared, best, queries }: Fit): string {
  const rows = compared.map(({ weight, mean, above, margin }) => [
    `${weight}`,
    mean.toFixed(3),
    weight === defaultWeight ? '' : `${above < 0 ? '' : '+'}${above.toFixed(3)} ± ${margin.toFixed(3)}`,
  ])
  const advice =
    best === defaultWeight
      ? `no weight is significantly better than the default, ${defaultWeight}`
      : `${best} is significantly better than the default, ${defaultWeight}: set VECTOR_WEIGHTS=MODEL=${best} for the model, or search with vectorWeight: ${best}`
  return `${aligned([['weight', 'ndcg@10', 'less the default'], ...rows])}\n\n${queries} queries; ${advice}`
}
