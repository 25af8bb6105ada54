/** A score that claims to be the probability of `is`; the weight balances collections of different size. */
export interface Prediction {
  score: number
  is: boolean
  weight: number
}

const bins = 10

export const reliabilityHeaders = ['score', 'number', 'mean score', 'share that is so']

/** A reliability table (Murphy and Winkler 1977): for each tenth of the scores, their mean and the share that is so. */
export function reliability(predictions: readonly Prediction[]): string[][] {
  const byBin = Map.groupBy(predictions, ({ score }) => Math.min(bins - 1, Math.floor(score * bins)))
  return [...byBin]
    .sort(([a], [b]) => a - b)
    .map(([bin, within]) => [
      `${(bin / bins).toFixed(1)} to ${((bin + 1) / bins).toFixed(1)}`,
      within.length.toLocaleString('en'),
      meanOf(within, ({ score }) => score).toFixed(2),
      meanOf(within, ({ is }) => (is ? 1 : 0)).toFixed(2),
    ])
}

/** Expected calibration error (Naeini et al. 2015): the mean distance of score and share, over the bins. */
export function calibrationError(predictions: readonly Prediction[]): number {
  const total = predictions.reduce((sum, { weight }) => sum + weight, 0)
  return Map.groupBy(predictions, ({ score }) => Math.min(bins - 1, Math.floor(score * bins)))
    .values()
    .reduce((sum, within) => {
      const share = within.reduce((all, { weight }) => all + weight, 0) / total
      return sum + share * Math.abs(meanOf(within, ({ score }) => score) - meanOf(within, ({ is }) => (is ? 1 : 0)))
    }, 0)
}

function meanOf(within: readonly Prediction[], of: (prediction: Prediction) => number): number {
  const total = within.reduce((sum, { weight }) => sum + weight, 0)
  return within.reduce((sum, prediction) => sum + prediction.weight * of(prediction), 0) / total
}
