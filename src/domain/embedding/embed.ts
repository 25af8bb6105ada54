import { InvalidInputError, ServiceError } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { capacity, type Turns } from '../turns/turns.ts'
import type { EmbedInput } from './embed-input.ts'

export interface Embeddings {
  model: string
  dims: number
  vectors: Float32Array[]
}

type Deps = Pick<Bindings, 'inference' | 'log'> & Pick<DomainSettings, 'inferenceTimeoutMs'> & { turns: Turns }

/** Characters that weigh as much as a small search. */
const charactersOfTurn = 2048

/**
 * Vectors of the caller's own texts, by the model of the plane `text`. It reads nothing, so nothing is recorded. Errors: 400
 * for a text with nothing to embed, 503 where the model fails.
 */
export async function embed(deps: Deps, session: Session, { texts, kind }: EmbedInput): Promise<Embeddings> {
  admit(session, 'embed')
  const { name, dims } = deps.inference.model('text')
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const weight = Math.min(capacity, 1 + length / charactersOfTurn)
  const signal = AbortSignal.timeout(deps.inferenceTimeoutMs)
  const found = await deps.turns
    .answering(session, weight, () => deps.inference.embed('text', texts, kind, signal))
    .catch((error: unknown) => {
      if (error instanceof ServiceError) throw error
      deps.log.warn({ err: error, model: name }, 'texts could not be embedded')
      throw new ServiceError('inference_unavailable', 'the embedding model does not answer: try again later', {
        retryAfter: 5,
      })
    })
  const vectors = found.map((vector, i) => {
    if (vector === null) throw new InvalidInputError(['texts', i], 'must have words to embed')
    return vector
  })
  return { model: name, dims, vectors }
}
