import { textAnalysis } from '../../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createBuiltinInference } from '../../../src/adapters/inference-builtin/builtin-inference.ts'
import { createRemoteInference } from '../../../src/adapters/inference-remote/remote-inference.ts'
import { systemTiming } from '../../../src/adapters/resilience/retries.ts'
import { readConfig } from '../../../src/config.ts'
import { createExtractiveWriter } from '../../../src/domain/answer/extractive-writer.ts'
import { createLexicalEntailment } from '../../../src/domain/faithfulness/lexical-entailment.ts'
import { createProximityReranker } from '../../../src/domain/search/proximity-reranker.ts'
import type { Models } from '../../../src/ports/models/models.ts'
import type { InferenceConfig } from '../../../src/settings/inference-config.ts'
import { systemRandom } from '../../../src/system.ts'
import { embeddingDims } from './model-server.ts'

export const builtinModels = (): Models => ({
  inference: createBuiltinInference(),
  reranker: createProximityReranker(textAnalysis),
  writer: createExtractiveWriter(textAnalysis),
  entailment: createLexicalEntailment(textAnalysis),
  planner: null,
})

export const apiKey = 'key-of-the-provider'

/** The settings that make a model server on this machine write answers. */
export const chatSettings = (url: string): Record<string, string> => ({
  INFERENCE: 'openai',
  EMBED_PROVIDER: 'builtin',
  INFERENCE_BASE_URL: `${url}/v1`,
  INFERENCE_API_KEY: apiKey,
  CHAT_MODEL: 'llama3.2',
})

/** The settings that make it serve all other tasks too. */
export const openAiSettings = (url: string): Record<string, string> => ({
  ...chatSettings(url),
  EMBED_PROVIDER: 'openai',
  EMBED_MODEL: 'bge-m3',
  EMBED_DIMS: String(embeddingDims),
  RERANK_MODEL: 'bge-reranker-v2-m3',
  NLI_MODEL: 'nli-deberta-v3',
  NLI_BASE_URL: url,
  NLI_API_KEY: apiKey,
})

export const pineconeSettings = (url: string): Record<string, string> => ({
  INFERENCE: 'pinecone',
  PINECONE_API_KEY: apiKey,
  PINECONE_CONTROLLER_HOST: url,
  EMBED_MODEL: 'multilingual-e5-large',
  EMBED_DIMS: String(embeddingDims),
  RERANK_MODEL: 'bge-reranker-v2-m3',
})

export const inferenceOf = (settings: Record<string, string>): InferenceConfig => readConfig(settings).inference

/** Retries come soon, with a fixed delay instead of a random one. */
export const remoteModels = (settings: Record<string, string>): Models =>
  createRemoteInference(inferenceOf(settings), builtinModels(), {
    random: systemRandom,
    timing: { ...systemTiming, random: () => 0.05 },
  })

/** Asks the planner of the models that are there at that time. */
function plannerOf(models: () => Models): Models['planner'] {
  const first = models().planner
  return first && { model: first.model, next: (...asked) => (models().planner ?? first).next(...asked) }
}

/** Models that a test can replace in a running app. */
export const changeable = (models: () => Models): Models => ({
  inference: {
    model: (plane) => models().inference.model(plane),
    embed: (...asked) => models().inference.embed(...asked),
    embedImages: async (plane, pictures, ...asked) =>
      (await models().inference.embedImages?.(plane, pictures, ...asked)) ?? pictures.map(() => null),
    ping: () => models().inference.ping(),
  },
  reranker: {
    model: models().reranker.model,
    depth: models().reranker.depth,
    score: (...asked) => models().reranker.score(...asked),
  },
  planner: plannerOf(models),
  writer: { model: models().writer.model, write: (...asked) => models().writer.write(...asked) },
  entailment: {
    method: models().entailment.method,
    threshold: models().entailment.threshold,
    score: (...asked) => models().entailment.score(...asked),
  },
})
