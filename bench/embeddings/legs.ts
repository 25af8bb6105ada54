import { ndcg, recall } from '../../src/domain/evaluation/score-query.ts'
import type { Collection } from '../quality/collections.ts'
import { type Asked, deepRanking, recallDepth } from '../quality/deep.ts'
import type { BenchServer } from '../support/server.ts'
import { embedOnce } from './embed.ts'

/** `text` and `vectors`: one leg alone. `fused`: both, the default. `reranked`: that after the built-in reranker. */
export const legs = ['text', 'vectors', 'fused', 'reranked'] as const
export type Leg = (typeof legs)[number]

/** One number per query, in the collection's order. */
export interface Scores {
  ndcg: number[]
  recall: number[]
}

/** A vector as it is sent. */
const encode = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')

const batchSize = 250

/** Writes the collection with the model's vectors, as a caller sends own ones, or without, where the service embeds. */
export async function ingest(server: BenchServer, collection: Collection, own: boolean): Promise<void> {
  const { name, plane, modality, documents } = collection
  // A Unit needs some text. A document without text stays in, as a document that no query finds.
  const texts = documents.map(({ text }) => text || ' ')
  const vectors = own ? await embedOnce(texts) : []
  for (let i = 0; i < documents.length; i += batchSize) {
    const units = documents.slice(i, i + batchSize).map(({ id }, at) => {
      const vector = vectors[i + at]
      return {
        external_id: id,
        text: texts[i + at],
        plane,
        modality,
        acl_groups: ['*'],
        ...(vector && { vector: encode(vector) }),
      }
    })
    await server.post('/v1/ingest', { units }, name)
  }
}

/** Runs every query of an ingested collection over HTTP; recall below it, as `deepRanking` says. */
export async function measure(server: BenchServer, collection: Collection, leg: Leg, own: boolean): Promise<Scores> {
  const { name, plane, queries } = collection
  const vectors = own ? await embedOnce(queries.map(({ text }) => text)) : []
  const scores: Scores = { ndcg: [], recall: [] }
  for (const [i, { text, relevant }] of queries.entries()) {
    const vector = leg === 'text' ? undefined : vectors[i]
    const planes = [plane]
    const asked = { q: leg === 'vectors' ? '' : text, planes }
    const body = {
      ...asked,
      top_k: 50,
      ...(vector && { vector: { [plane]: encode(vector) } }),
      ...(leg === 'reranked' && { rerank: true }),
    }
    const answer = (await server.post('/v1/search', body, name)) as { hits: { external_id: string }[] }
    const head = answer.hits.map((hit) => hit.external_id)
    const deep: Asked = { server, scope: name, body: { ...asked, ...(vector && { vector: { [plane]: [...vector] } }) } }
    scores.ndcg[i] = ndcg(head, relevant, 10)
    scores.recall[i] = recall(await deepRanking(deep), relevant, recallDepth)
  }
  return scores
}
