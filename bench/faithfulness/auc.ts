import { type Interval, seeded } from '../../src/domain/evaluation/evaluate.ts'

const resamples = 2000
const confidence = 0.95
const seed = 20_261_121

/** Area under the ROC curve: how often a positive scores above a negative; a tie counts half (Fawcett 2006). */
export const auc = (scores: readonly number[], positive: readonly boolean[]): number =>
  weightedAuc(ordered(scores), positive, new Uint16Array(scores.length).fill(1))

/** The 95 % percentile interval of the difference between two scorers' AUC on the same pairs (paired bootstrap). */
export function aucGain(
  scores: readonly number[],
  base: readonly number[] | null,
  positive: readonly boolean[],
): Interval {
  const [order, baseOrder] = [ordered(scores), base && ordered(base)]
  const random = seeded(seed)
  const counts = new Uint16Array(scores.length)
  const gains = Float64Array.from({ length: resamples }, () => {
    counts.fill(0)
    for (let i = 0; i < counts.length; i++) {
      const drawn = Math.floor(random() * counts.length)
      counts[drawn] = (counts[drawn] ?? 0) + 1
    }
    return weightedAuc(order, positive, counts) - (baseOrder ? weightedAuc(baseOrder, positive, counts) : 0)
  }).sort()
  const outside = Math.round((resamples * (1 - confidence)) / 2)
  return { low: gains[outside] ?? Number.NaN, high: gains[resamples - 1 - outside] ?? Number.NaN }
}

/** Groups the indexes of equal scores, in ascending order of score. */
function ordered(scores: readonly number[]): number[][] {
  const groups = Map.groupBy(scores.keys(), (i) => scores[i] ?? 0)
  return [...groups].sort(([a], [b]) => a - b).map(([, indexes]) => indexes)
}

function weightedAuc(order: readonly number[][], positive: readonly boolean[], counts: Uint16Array): number {
  let [positives, negatives, wins] = [0, 0, 0]
  for (const group of order) {
    let [here, against] = [0, 0]
    for (const i of group) {
      if (positive[i]) here += counts[i] ?? 0
      else against += counts[i] ?? 0
    }
    wins += here * (negatives + against / 2)
    positives += here
    negatives += against
  }
  return wins / (positives * negatives)
}
