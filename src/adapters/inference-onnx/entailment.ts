import type { Entailment } from '../../ports/models/entailment.ts'
import type { LoadedModel } from './loaded-model.ts'

/** Of a probability. */
const threshold = 0.5
/** The models' labels for the class: `entailment`, `ENTAILMENT`; models that judge summaries use `consistent`. */
const entails = /^(?:entail(?:ment|ed)?|consistent)$/iu

/** Which of a model's classes means that the second text follows from the first; null if none does. */
export function classOfEntailment(labels: readonly string[] | null): number | null {
  const found = labels?.findIndex((label) => entails.test(label)) ?? -1
  return found < 0 ? null : found
}

/** An NLI cross-encoder: its probability of entailment. */
export function createEntailment(name: string, model: LoadedModel, entailed: number): Entailment {
  return {
    method: `onnx:${name}`,
    threshold,
    score: async (pairs, signal) => {
      const inputs = pairs.map(({ premise, hypothesis }) => [premise, hypothesis] as const)
      return (await model.run(inputs, { signal, urgent: true })).map((logits) => softmaxAt(logits, entailed))
    },
  }
}

function softmaxAt(logits: Float32Array, at: number): number {
  const max = Math.max(...logits)
  const weights = Array.from(logits, (logit) => Math.exp(logit - max))
  return (weights[at] ?? 0) / weights.reduce((sum, weight) => sum + weight, 0)
}
