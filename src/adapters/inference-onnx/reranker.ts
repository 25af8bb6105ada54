import type { Reranker } from '../../ports/models/reranker.ts'
import type { LoadedModel } from './loaded-model.ts'

/** The model reads each pair as a whole, on this machine. */
const depth = 30

/** A cross-encoder with one logit. A hit without text cannot be read: it keeps its score. */
export function createReranker(name: string, model: LoadedModel): Reranker {
  return {
    model: `onnx:${name}`,
    depth,
    score: async (query, candidates, signal) => {
      const read = candidates.filter(({ text }) => text.trim() !== '')
      const inputs = read.map(({ text }) => [query, text] as const)
      const logits = (await model.run(inputs, { signal, urgent: true })).values()
      return candidates.map(({ text, score }) =>
        text.trim() === '' ? score : logistic(logits.next().value?.[0] ?? Number.NEGATIVE_INFINITY),
      )
    },
  }
}

const logistic = (logit: number) => 1 / (1 + Math.exp(-logit))
