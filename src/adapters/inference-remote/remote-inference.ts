import type { Plane } from '../../model/unit.ts'
import type { AnswerWriter } from '../../ports/answer-writer.ts'
import type { Random } from '../../ports/clock.ts'
import type { Entailment } from '../../ports/entailment.ts'
import type { Inference } from '../../ports/inference.ts'
import type { Reranker } from '../../ports/reranker.ts'
import type { Embedder } from './embedder.ts'
import { createGate, type Gate } from './guard/gate.ts'
import { createGuard, type Guard } from './guard/guard.ts'
import { ProviderError } from './guard/provider-error.ts'
import { systemTiming, type Timing } from './guard/timing.ts'
import { createOpenAiEmbedder } from './openai/embed.ts'
import { createTeiEntailment } from './openai/entail.ts'
import { createHttpReranker } from './openai/rerank.ts'
import { createChatWriter } from './openai/write.ts'
import { createPineconeEmbedder } from './pinecone/embed.ts'
import { createPineconeReranker } from './pinecone/rerank.ts'
import type { InferenceConfig } from './remote-config.ts'

/** One of each, by the same provider or by several. */
export interface Models {
  inference: Inference
  reranker: Reranker
  writer: AnswerWriter
  entailment: Entailment
}

/** The configured providers' models, and the built-in ones where none is configured. Nothing is asked yet. */
export function createRemoteInference(
  config: InferenceConfig,
  builtin: Models,
  { random, timing = systemTiming }: { random: Random; timing?: Timing },
): Models {
  const guards: Guard[] = []
  const gates = new Map<string, Gate>()
  const guardOf = (name: string, address: string | null) => {
    const gate = gates.get(address ?? '') ?? createGate(config.concurrency)
    gates.set(address ?? '', gate)
    const guard = createGuard({ name, timeoutMs: config.timeoutMs, gate, timing })
    guards.push(guard)
    return guard
  }

  const { planes, rerank, answers, entailment } = config
  const embedders = createEmbedders(planes, guardOf)
  return {
    inference: {
      model: (plane) => embedders[plane]?.model ?? builtin.inference.model(plane),
      embed: (plane, texts, kind, signal) =>
        embedders[plane]?.embed(texts, kind, signal) ?? builtin.inference.embed(plane, texts, kind, signal),
      ping: async () => {
        if (guards.some((guard) => guard.isFailing())) throw new ProviderError('paused', 'a provider is failing')
      },
    },
    reranker: createReranker(rerank, guardOf) ?? builtin.reranker,
    writer:
      answers.kind === 'builtin'
        ? builtin.writer
        : createChatWriter(answers, guardOf(`${answers.model} (answers)`, answers.endpoint.baseUrl), random),
    entailment:
      entailment.kind === 'builtin'
        ? builtin.entailment
        : createTeiEntailment(entailment, guardOf(`${entailment.model} (entailment)`, entailment.endpoint.baseUrl)),
  }
}

type GuardOf = (name: string, address: string | null) => Guard

/** Planes with the same model share it. */
function createEmbedders(planes: InferenceConfig['planes'], guardOf: GuardOf): Partial<Record<Plane, Embedder>> {
  const made = new Map<string, Embedder>()
  const embedderOf = (config: InferenceConfig['planes'][Plane]): Embedder | undefined => {
    if (config.kind === 'builtin') return undefined
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

function createReranker(rerank: InferenceConfig['rerank'], guardOf: GuardOf): Reranker | null {
  if (rerank.kind === 'builtin') return null
  const name = `${rerank.model} (reranking)`
  return rerank.kind === 'openai'
    ? createHttpReranker(rerank, guardOf(name, rerank.endpoint.baseUrl))
    : createPineconeReranker(rerank, guardOf(name, rerank.endpoint.host))
}
