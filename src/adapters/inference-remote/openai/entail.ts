import { z } from 'zod'
import { batchesOf, mapBatches } from '../../../async/pieces.ts'
import type { Entailment } from '../../../ports/models/entailment.ts'
import { type Guard, malformed } from '../calls/guard.ts'
import { addressesOf, createVariants, postJson } from '../calls/http.ts'
import type { Endpoint } from '../models/remote-config.ts'

const batch = 32
/** Classifiers of pairs read 512 tokens, and the hypothesis needs space too. UTF-16 units. */
const longestPremise = 4_000
/** Of a probability. */
const threshold = 0.5

const classes = z.array(z.object({ label: z.string(), score: z.number().min(0).max(1) }))
/** The models' labels for the class: `entailment`, `ENTAILMENT`; models that judge summaries use `consistent`. */
const entails = /^(?:entail(?:ment|ed)?|consistent)$/iu

/**
 * An NLI classifier of a Text Embeddings Inference server: POST /predict with pairs of premise and hypothesis. This is
 * the API that serves such models. A chat model as judge could be manipulated by the text that it judges.
 */
export function createTeiEntailment(
  { endpoint, model }: { endpoint: Endpoint; model: string },
  guard: Guard,
): Entailment {
  const { apiKey, baseUrl } = endpoint
  const variants = createVariants(addressesOf(baseUrl, '/predict'))
  const request = async (inputs: readonly (readonly [string, string])[], signal: AbortSignal) => {
    const body = await variants((url) => postJson(url, { inputs, truncate: true }, { apiKey, signal }))
    return readProbabilities(body, inputs.length)
  }
  return {
    method: `tei:${model}`,
    threshold,
    score: async (pairs, signal) => {
      const inputs = pairs.map(
        ({ premise, hypothesis }) => [premise.slice(0, longestPremise).toWellFormed(), hypothesis] as const,
      )
      const batches = batchesOf(inputs, { maxItems: batch })
      return mapBatches(batches, batches.length, (part) =>
        guard.run((within) => request(part, within), { signal, urgent: true }),
      )
    },
  }
}

function readProbabilities(body: unknown, count: number): number[] {
  const { success, data } = z.array(classes).length(count).safeParse(body)
  if (!success) throw malformed('answered no classes of these pairs')
  return data.map((found) => {
    const probability = found.find(({ label }) => entails.test(label))?.score
    if (probability === undefined) throw malformed('names no class of entailment')
    return probability
  })
}
