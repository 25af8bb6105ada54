import { createBuiltinInference } from '../../src/adapters/inference-builtin/builtin-inference.ts'
import { ndcg, recall } from '../../src/domain/evaluation/score-query.ts'
import type { BenchServer } from '../support/server.ts'
import type { Collection, Query } from './collections.ts'
import { type Asked, deepRanking, recallDepth } from './deep.ts'
import { wordLeg } from './word-leg.ts'

/**
 * The compared rankings. `text`: text only. `vectors`: the caller's vectors only. `own`: both together. `fused`: text
 * and the vectors of the configured model, by default MiniLM. `rerank`: `fused` after the built-in reranker. The caller's
 * vectors are hashed n-grams, sent as those of another model.
 */
export const legs = ['word leg', 'text', 'vectors', 'fused', 'rerank', 'own'] as const
export type Leg = (typeof legs)[number]

/** One number per query, in the collection's order. */
export interface Scores {
  ndcg: number[]
  recall: number[]
}

type Vectors = NonNullable<Asked['body']['vector']>
type Ask = (text: string, vector: Vectors) => { scope: string; body: { q: string; vector?: Vectors; rerank?: boolean } }

/** Units with the caller's vectors have none of the configured model, so in their scope text ranks alone. */
const asks: Record<Exclude<Leg, 'word leg'>, Ask> = {
  text: (q) => ({ scope: 'own', body: { q } }),
  vectors: (_, vector) => ({ scope: 'own', body: { q: '', vector } }),
  fused: (q) => ({ scope: 'builtin', body: { q } }),
  rerank: (q) => ({ scope: 'builtin', body: { q, rerank: true } }),
  own: (q, vector) => ({ scope: 'own', body: { q, vector } }),
}

const batchSize = 500
const concurrency = 4
const inference = createBuiltinInference()

const embed = async ({ plane }: Collection, texts: string[]) =>
  (await inference.embed(plane, texts, 'passage')).map((vector) => (vector ? [...vector] : undefined))

/** Writes the collection twice: to one scope as text only, to another with the caller's vectors. */
export async function ingest(server: BenchServer, collection: Collection): Promise<void> {
  const { name, plane, modality, documents } = collection
  for (let i = 0; i < documents.length; i += batchSize) {
    // A Unit needs some text. A document without text stays in, as a document that no query finds.
    const units = documents.slice(i, i + batchSize).map(({ id, text }) => ({
      external_id: id,
      text: text || ' ',
      plane,
      modality,
      acl_groups: ['*'],
    }))
    const vectors = await embed(
      collection,
      units.map(({ text }) => text),
    )
    const withVectors = units.map((unit, at) => ({ ...unit, vector: vectors[at] }))
    await server.post('/v1/ingest', { units }, `builtin/${name}`)
    await server.post('/v1/ingest', { units: withVectors }, `own/${name}`)
  }
}

/** Runs every query of an ingested collection. */
export async function measure(server: BenchServer, collection: Collection, leg: Leg): Promise<Scores> {
  const rank = leg === 'word leg' ? yardstick(collection) : service(server, collection, asks[leg])
  const scores: Scores = { ndcg: [], recall: [] }
  const waiting = collection.queries.entries()
  const work = async () => {
    for (const [i, query] of waiting) {
      const { head, deep } = await rank(query)
      scores.ndcg[i] = ndcg(head, query.relevant, 10)
      scores.recall[i] = recall(deep, query.relevant, recallDepth)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return scores
}

type Rank = (query: Query) => Promise<{ head: readonly string[]; deep: readonly string[] }>

function yardstick({ documents }: Collection): Rank {
  const rank = wordLeg(documents)
  return async ({ text }) => {
    const ranked = rank(text)
    return { head: ranked, deep: ranked }
  }
}

function service(server: BenchServer, collection: Collection, ask: Ask): Rank {
  return async ({ text }) => {
    const [vector] = await embed(collection, [text])
    const asked = ask(text, vector ? { [collection.plane]: vector } : {})
    const scope = `${asked.scope}/${collection.name}`
    // The queries are questions in prose, where quotes only set off words.
    const body = { ...asked.body, query_syntax: 'plain', planes: [collection.plane], top_k: 50 }
    const answer = (await server.post('/v1/search', body, scope)) as { hits: { external_id: string }[] }
    const head = answer.hits.map((hit) => hit.external_id)
    return { head, deep: await deepRanking({ server, scope, body }) }
  }
}
