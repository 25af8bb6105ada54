/**
 * What callers with a real embedding model get: `npm run bench:embeddings -- [--onnx] [collection…]`. The service over HTTP
 * with the vectors of all-MiniLM-L6-v2, sent by the caller; with `--onnx` also with the same model inside the service. With
 * `--cosines <model>` and MODELS_DIR it only says what the cosines of that model say.
 */
import { localModels } from '../../test/support/onnx/local-models.ts'
import { type Collection, collectionNames, readCollection } from '../quality/collections.ts'
import { readArguments } from '../support/arguments.ts'
import { startBenchServer } from '../support/server.ts'
import { measureCosines } from './cosines.ts'
import { ingest, type Leg, legs, measure, type Scores } from './legs.ts'
import { findModel, modelName } from './model/find-model.ts'
import { paraphrasesAmong } from './paraphrases.ts'
import { type Measured, report } from './report.ts'

const { values, positionals } = readArguments({
  options: { onnx: { type: 'boolean', default: false }, cosines: { type: 'string' } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !collectionNames.some((known) => known === name))
if (unknown.length > 0) throw new Error(`no collection ${unknown.join(', ')}; there are ${collectionNames.join(', ')}`)
const chosen = collectionNames.filter((name) => positionals.length === 0 || positionals.includes(name))

/** The service embeds only passages and queries that it is given without vectors. */
const ways = {
  own: { settings: {}, legs },
  onnx: {
    settings: { INFERENCE: 'onnx', EMBED_MODEL: modelName, INFERENCE_TIMEOUT_MS: '600000' },
    legs: ['fused', 'reranked'],
  },
} as const satisfies Record<string, { settings: Record<string, string>; legs: readonly Leg[] }>

async function run(way: keyof typeof ways, collections: readonly Collection[], models: string): Promise<Measured[]> {
  const { settings, legs: asked } = ways[way]
  const server = await startBenchServer(way === 'onnx' ? { ...settings, MODELS_DIR: models } : {})
  try {
    const measured: Measured[] = []
    for (const collection of collections) {
      const started = performance.now()
      await ingest(server, collection, way === 'own')
      const scores: Partial<Record<Leg, Scores>> = {}
      for (const leg of asked) scores[leg] = await measure(server, collection, leg, way === 'own')
      measured.push({ name: collection.name, scores })
      const first = scores.fused?.ndcg.filter((gain) => gain === 1).length ?? 0
      if (collection === paraphrases) console.error(`${way}: ${first} of ${collection.queries.length} found first`)
      console.error(`${way}: ${collection.name} measured in ${Math.round((performance.now() - started) / 1000)} s`)
    }
    return measured
  } finally {
    await server.close()
  }
}

function modelOrReason(): { models: string } | { reason: string } {
  try {
    return { models: findModel() }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

if (values.cosines !== undefined) {
  const { MODELS_DIR = '' } = process.env
  const local = await localModels({ INFERENCE: 'onnx', MODELS_DIR, EMBED_MODEL: values.cosines })
  const { measured, ...known } = await measureCosines(local.models.inference)
  for (const { language, same } of measured) console.log(language, same)
  console.log(known)
  await local.close()
  process.exit()
}

const collections = chosen.flatMap((name) => {
  const collection = readCollection(name, false)
  if (!collection) console.error(`${name}: skipped, it is not beside the project`)
  return collection ? [collection] : []
})
const paraphrases = paraphrasesAmong(collections)
const measured = [...collections, paraphrases]
const model = modelOrReason()
if ('reason' in model) console.error(`skipped: the model cannot be had here (${model.reason})`)
else if (collections.length > 0) {
  console.log(report('vectors sent by the caller', legs, await run('own', measured, model.models)))
  if (values.onnx) console.log(report('INFERENCE=onnx', ways.onnx.legs, await run('onnx', measured, model.models)))
}
