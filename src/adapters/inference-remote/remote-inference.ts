import { Pinecone } from '@pinecone-database/pinecone'
import { createLimiter, type Limiter } from '../../async/limits.ts'
import type { Plane } from '../../model/unit.ts'
import type { Random } from '../../ports/clock.ts'
import type { EmbeddingKind } from '../../ports/models/inference.ts'
import type { Models } from '../../ports/models/models.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import { RemoteError } from '../resilience/remote-error.ts'
import { systemTiming, type Timing } from '../resilience/retries.ts'
import { createGuard, type Guard } from './calls/guard.ts'
import { bytesOfVectors, createVariants, throughSdk } from './calls/http.ts'
import { createEmbedder, type Embedder } from './models/embedder.ts'
import type { PineconeEndpoint, RemoteConfig } from './models/remote-config.ts'
import { createRemoteReranker } from './models/reranker.ts'
import { createOpenAiEmbedder } from './openai/embed.ts'
import { createTeiEntailment } from './openai/entail.ts'
import { createChatPlanner } from './openai/plan.ts'
import { createHttpReranker } from './openai/rerank.ts'
import { createChatWriter } from './openai/write.ts'

/** The configured providers' models, and `others` where none is configured. Makes no requests yet. */
export function createRemoteInference(
  config: RemoteConfig,
  others: Models,
  { random, timing = systemTiming }: { random: Random; timing?: Timing },
): Models {
  const guards: Guard[] = []
  const limiters = new Map<string, Limiter>()
  const guardOf = (name: string, address: string | null) => {
    const limiter = limiters.get(address ?? '') ?? createLimiter({ max: config.concurrency })
    limiters.set(address ?? '', limiter)
    const guard = createGuard({ name, timeoutMs: config.timeoutMs, limiter, timing })
    guards.push(guard)
    return guard
  }

  const { planes, rerank, answers, entailment } = config
  const embedders = createEmbedders(planes, guardOf)
  return {
    inference: {
      model: (plane) => embedders[plane]?.model ?? others.inference.model(plane),
      embed: (plane, texts, kind, signal) =>
        embedders[plane]?.embed(texts, kind, signal) ?? others.inference.embed(plane, texts, kind, signal),
      embedImages: async (plane, pictures, ...asked) => {
        const embedder = embedders[plane]
        const vectors = embedder
          ? embedder.embedImages?.(pictures, ...asked)
          : others.inference.embedImages?.(plane, pictures, ...asked)
        return (await vectors) ?? pictures.map(() => null)
      },
      ping: async () => {
        if (guards.some((guard) => guard.isFailing())) throw new RemoteError('paused', 'a provider is failing')
        await others.inference.ping()
      },
    },
    reranker: createReranker(rerank, guardOf) ?? others.reranker,
    writer:
      answers.kind === 'openai'
        ? createChatWriter(answers, guardOf(`${answers.model} (answers)`, answers.endpoint.baseUrl), random)
        : others.writer,
    entailment:
      entailment.kind === 'tei'
        ? createTeiEntailment(entailment, guardOf(`${entailment.model} (entailment)`, entailment.endpoint.baseUrl))
        : others.entailment,
    planner:
      answers.kind === 'openai'
        ? createChatPlanner(answers, guardOf(`${answers.model} (steps)`, answers.endpoint.baseUrl), random)
        : others.planner,
  }
}

type GuardOf = (name: string, address: string | null) => Guard

/** Planes with the same model share it. */
function createEmbedders(planes: RemoteConfig['planes'], guardOf: GuardOf): Partial<Record<Plane, Embedder>> {
  const made = new Map<string, Embedder>()
  const embedderOf = (config: RemoteConfig['planes'][Plane]): Embedder | undefined => {
    if (config.kind === 'builtin' || config.kind === 'onnx') return undefined
    const key = JSON.stringify(config)
    const name = `${config.model} (embeddings)`
    const embedder =
      made.get(key) ??
      (config.kind === 'openai'
        ? createOpenAiEmbedder(config, guardOf(name, config.endpoint.baseUrl))
        : createPineconeEmbedder(config, guardOf(name, config.endpoint.host)))
    made.set(key, embedder)
    return embedder
  }
  const entries = Object.entries(planes).map(([plane, config]) => [plane, embedderOf(config)])
  return Object.fromEntries(entries)
}

function createReranker(rerank: RemoteConfig['rerank'], guardOf: GuardOf): Reranker | null {
  if (rerank.kind === 'builtin' || rerank.kind === 'onnx') return null
  const name = `${rerank.model} (reranking)`
  return rerank.kind === 'openai'
    ? createHttpReranker(rerank, guardOf(name, rerank.endpoint.baseUrl))
    : createPineconeReranker(rerank, guardOf(name, rerank.endpoint.host))
}

/** Pinecone Inference for one call; the guard retries. */
const pineconeInference = ({ apiKey, host }: PineconeEndpoint, fetch: typeof globalThis.fetch) =>
  new Pinecone({ apiKey, fetchApi: fetch, maxRetries: 0, ...(host === null ? {} : { controllerHostUrl: host }) })
    .inference

/** The limit of its embedding models per request. */
const embeddingBatch = 96

/** POST /embed of Pinecone Inference. */
function createPineconeEmbedder(
  { endpoint, model, dims }: { endpoint: PineconeEndpoint; model: string; dims: number },
  guard: Guard,
): Embedder {
  const request = (texts: readonly string[], kind: EmbeddingKind, signal: AbortSignal) =>
    throughSdk(
      signal,
      async (fetch) => {
        const { data } = await pineconeInference(endpoint, fetch).embed({
          model,
          inputs: [...texts],
          parameters: { inputType: kind, truncate: 'END' },
        })
        return data.map((embedding) => ('values' in embedding ? embedding.values : undefined))
      },
      bytesOfVectors(embeddingBatch, dims),
    )
  return createEmbedder({ name: `pinecone:${model}`, dims, batch: embeddingBatch, guard, request })
}

/** The limit of its reranking models per request. */
const rerankingBatch = 100

/**
 * POST /rerank of Pinecone Inference. Most of its models refuse long texts unless a parameter truncates them; one model
 * lacks that parameter.
 */
function createPineconeReranker(
  { endpoint, model }: { endpoint: PineconeEndpoint; model: string },
  guard: Guard,
): Reranker {
  const variants = createVariants<Record<string, string>>([{ truncate: 'END' }, {}])
  const request = (query: string, texts: readonly string[], signal: AbortSignal) =>
    variants((parameters) =>
      throughSdk(signal, async (fetch) => {
        const { data } = await pineconeInference(endpoint, fetch).rerank({
          model,
          query,
          documents: [...texts],
          topN: texts.length,
          returnDocuments: false,
          parameters,
        })
        return data.map(({ index, score }) => ({ index, score }))
      }),
    )
  return createRemoteReranker({ name: `pinecone:${model}`, batch: rerankingBatch, guard, request })
}
