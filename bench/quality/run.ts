/** Retrieval quality of the real service over HTTP: `npm run bench -- [collection…]`. */
import { createBuiltinInference } from '../../src/adapters/inference-builtin/builtin-inference.ts'
import { startBenchServer } from '../support/server.ts'
import { type Collection, type CollectionName, collectionNames, readCollection } from './collections.ts'
import { mean, ndcg, recall } from './metrics.ts'

const inference = createBuiltinInference()
const server = await startBenchServer()

/** What a query is made of, per mode. The vectors are the built-in ones, sent as the caller's own so that they rank. */
const modes = {
  text: (q: string) => ({ scope: 'text', body: { q } }),
  vectors: (_: string, vector: object) => ({ scope: 'fused', body: { q: '', vector } }),
  fused: (q: string, vector: object) => ({ scope: 'fused', body: { q, vector } }),
}

const embed = async (plane: Collection['plane'], texts: string[]) =>
  (await inference.embed(plane, texts)).map((vector) => vector && [...vector])

async function ingest({ name, plane, modality, documents }: Collection): Promise<void> {
  for (let i = 0; i < documents.length; i += 500) {
    const batch = documents.slice(i, i + 500)
    const vectors = await embed(
      plane,
      batch.map((d) => d.text),
    )
    const units = batch.map(({ id, text }) => ({
      external_id: id,
      text: text.trim() || ' ',
      plane,
      modality,
      acl_groups: ['*'],
    }))
    await server.post('/v1/ingest', { units }, `text/${name}`)
    await server.post(
      '/v1/ingest',
      { units: units.map((u, j) => ({ ...u, vector: vectors[j] ?? undefined })) },
      `fused/${name}`,
    )
  }
}

async function measure(collection: Collection, mode: keyof typeof modes): Promise<string[]> {
  const scores = { ndcg: [] as number[], recall: [] as number[] }
  for (const { text, relevant } of collection.queries) {
    const [vector] = await embed(collection.plane, [text])
    const { scope, body } = modes[mode](text, { [collection.plane]: vector })
    const answer = (await server.post(
      '/v1/search',
      { ...body, planes: [collection.plane], top_k: 50 },
      `${scope}/${collection.name}`,
    )) as { hits: { external_id: string }[] }
    const ranked = answer.hits.map((hit) => hit.external_id)
    scores.ndcg.push(ndcg(ranked, relevant, 10))
    scores.recall.push(recall(ranked, relevant, 50))
  }
  return [mode, mean(scores.ndcg).toFixed(3), mean(scores.recall).toFixed(3)]
}

const wanted = process.argv.slice(2)
const chosen = collectionNames.filter((name) => wanted.length === 0 || wanted.includes(name))
console.log('collection     documents queries  leg      nDCG@10  recall@50')
for (const name of chosen satisfies CollectionName[]) {
  const collection = readCollection(name)
  if (!collection) {
    console.log(`${name.padEnd(14)} skipped: not beside the project`)
    continue
  }
  await ingest(collection)
  for (const mode of Object.keys(modes) as (keyof typeof modes)[]) {
    const [leg = '', gain = '', found = ''] = await measure(collection, mode)
    const { documents, queries } = collection
    console.log(
      `${name.padEnd(14)} ${String(documents.length).padStart(9)} ${String(queries.length).padStart(7)}  ${leg.padEnd(8)} ${gain.padStart(7)} ${found.padStart(10)}`,
    )
  }
}
await server.close()
