import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { createTextReader, passageIn } from '../adapters/index-embedded/analysis/find-passage.ts'
import { textAnalysis } from '../adapters/index-embedded/analysis/text-analysis.ts'
import { createBuiltinInference } from '../adapters/inference-builtin/builtin-inference.ts'
import type { LocalReader } from '../adapters/ocr-onnx/local-reader.ts'
import { layOut } from '../adapters/parsers/pdf/reading-order.ts'
import { createWorkerPool, type Ending, WorkerHost } from '../async/worker-host.ts'
import type { Config } from '../config.ts'
import { createExtractiveWriter } from '../domain/answer/extractive-writer.ts'
import type { Bindings } from '../domain/bindings/bindings.ts'
import { createLexicalEntailment } from '../domain/faithfulness/lexical-entailment.ts'
import { createProximityReranker } from '../domain/search/proximity-reranker.ts'
import { multilingualModel, primaryLanguage } from '../model/language.ts'
import type { Log } from '../model/log.ts'
import type { InferenceCall, Telemetry } from '../model/telemetry.ts'
import type { Plane } from '../model/unit.ts'
import type { Passage, Passages } from '../ports/indexes/passages.ts'
import type { TextAnalysis } from '../ports/indexes/text-analysis.ts'
import type { Sought } from '../ports/indexes/text-index.ts'
import type { AnswerWriter } from '../ports/models/answer-writer.ts'
import type { Entailment } from '../ports/models/entailment.ts'
import type { EmbeddingKind, Inference } from '../ports/models/inference.ts'
import type { MediaModels, ReadText } from '../ports/models/media-models.ts'
import type { Models } from '../ports/models/models.ts'
import type { StepPlanner } from '../ports/models/step-planner.ts'
import { type InferenceConfig, onlyEmbeddings } from '../settings/inference-config.ts'
import { isThere } from '../settings/media.ts'
import { systemRandom } from '../system.ts'

interface ConfiguredModels extends Pick<Bindings, 'fallbacks' | 'formerInference' | 'media' | 'analysis' | 'passages'> {
  models: Models
  /** Why the model that comes with the service cannot run here, in words for operators. */
  missing: string | null
  close(): Promise<void>
}

/** The configured models. While an external model for answers or entailment fails, the built-in one replaces it. */
export async function modelsOf(
  { inference: config }: Config,
  telemetry: Telemetry,
  log: Log,
): Promise<ConfiguredModels> {
  const textThreads = createTextThreads()
  const builtin: Models = {
    inference: createBuiltinInference(textThreads.embed),
    reranker: createProximityReranker(textAnalysis),
    writer: createExtractiveWriter(textAnalysis),
    entailment: createLexicalEntailment(textAnalysis),
    planner: null,
  }
  const { answers, entailment, former } = config
  const { models, missing, close } = await providersOf(config, builtin)
  const formerConfig = former && onlyEmbeddings(config, former)
  const before = formerConfig && (await providersOf(formerConfig, builtin))
  const media = await mediaModels(config)
  return {
    models: observedModels(
      telemetry,
      { ...models, inference: understood(models.inference, textAnalysis, log) },
      config,
    ),
    missing,
    fallbacks: {
      writer: answers.kind === 'builtin' ? null : observedWriter(telemetry, builtin.writer, 'builtin'),
      entailment: entailment.kind === 'builtin' ? null : observedEntailment(telemetry, builtin.entailment, 'builtin'),
    },
    analysis: textAnalysis,
    passages: textThreads.passages,
    formerInference: [
      observedInference(telemetry, builtin.inference, null),
      ...(before
        ? [observedInference(telemetry, understood(before.models.inference, textAnalysis, log), formerConfig.planes)]
        : []),
    ],
    media: media.models,
    close: async () => {
      await close()
      await before?.close()
      await media.close()
      await textThreads.close()
    },
  }
}

async function providersOf(
  config: InferenceConfig,
  builtin: Models,
): Promise<Pick<ConfiguredModels, 'models' | 'missing' | 'close'>> {
  const { planes, rerank, answers, entailment } = config
  const kinds = new Set([...Object.values(planes), rerank, answers, entailment].map(({ kind }) => kind))
  const isLocal = kinds.delete('onnx')
  kinds.delete('builtin')
  const local = isLocal ? await localModels(config, builtin) : { models: builtin, missing: null, close: async () => {} }
  if (kinds.size === 0) return local
  const { createRemoteInference } = await import('../adapters/inference-remote/remote-inference.ts')
  return { ...local, models: createRemoteInference(config, local.models, { random: systemRandom }) }
}

async function localModels(config: InferenceConfig, others: Models) {
  const { createOnnxModels } = await import('../adapters/inference-onnx/onnx-models.ts')
  return createOnnxModels(config, others)
}

async function mediaModels({ media, localOcr, concurrency }: InferenceConfig) {
  const none: MediaModels = { ocr: null, caption: null, transcribe: null }
  const isRemote = Object.values(media).some((model) => model !== null)
  const remote = isRemote ? await import('../adapters/inference-remote/media-models.ts') : null
  const models = remote?.createMediaModels(media, { concurrency }) ?? none
  if (localOcr === null) return { models, close: async () => {} }
  let reader: LocalReader | null = null
  const read: ReadText = async (...asked) => {
    const { createLocalReader } = await import('../adapters/ocr-onnx/local-reader.ts')
    // Columns and tables are the same on a scanned page and on one with text.
    reader ??= createLocalReader({ directory: localOcr.directory, layOut })
    return reader.read(...asked)
  }
  const withLocal: MediaModels = {
    ...models,
    // The model may come while the service runs.
    get ocr() {
      return isThere(localOcr) ? read : null
    },
  }
  return { models: withLocal, close: async () => reader?.close() }
}

/**
 * The same models; a text in a language that its model does not understand gets no vector. Such vectors compare letters: of a
 * model that learned English, all Arabic texts are near each other. Where the language is not clear, there is a vector.
 */
export function understood(inference: Inference, { language }: TextAnalysis, log: Log): Inference {
  const propose = createProposal(log)
  return {
    ...inference,
    embed: async (plane, texts, kind, signal) => {
      const known = inference.model(plane).cosines?.languages
      if (known === undefined) return inference.embed(plane, texts, kind, signal)
      const isUnderstood = texts.map((text) => {
        const found = language(text, kind === 'query' ? 'query' : 'text')
        return found === null || known.includes(found)
      })
      propose(kind, inference.model(plane).name, isUnderstood)
      const some = texts.filter((_, i) => isUnderstood[i])
      const vectors = (some.length > 0 ? await inference.embed(plane, some, kind, signal) : []).values()
      return isUnderstood.map((is) => (is ? (vectors.next().value ?? null) : null))
    },
  }
}

const enough = 100

/** Proposes a model for more languages, once, where more than a tenth of the queries or texts got no vector from this one. */
function createProposal(log: Log) {
  const counts = { query: { all: 0, foreign: 0 }, passage: { all: 0, foreign: 0 } }
  let isMade = false
  return (kind: EmbeddingKind, model: string, isUnderstood: readonly boolean[]) => {
    const count = counts[kind]
    count.all += isUnderstood.length
    count.foreign += isUnderstood.filter((is) => !is).length
    if (isMade || count.all < enough || count.foreign * 10 <= count.all) return
    isMade = true
    const what = kind === 'query' ? 'queries' : 'texts'
    log.info(
      { model, ...count },
      `more than a tenth of the ${what} are in languages that this model does not understand: ${multilingualModel}`,
    )
  }
}

type Providers = Pick<InferenceConfig, 'planes' | 'rerank' | 'answers' | 'entailment'>

/** The same models; each call is reported with the provider that the settings name. */
function observedModels(telemetry: Telemetry, models: Models, providers: Providers): Models {
  const { reranker } = models
  const rerank: InferenceCall = { operation: 'rerank', provider: providers.rerank.kind, model: reranker.model }
  return {
    inference: observedInference(telemetry, models.inference, providers.planes),
    reranker: { ...reranker, score: (...input) => telemetry.inference(rerank, () => reranker.score(...input)) },
    writer: observedWriter(telemetry, models.writer, providers.answers.kind),
    entailment: observedEntailment(telemetry, models.entailment, providers.entailment.kind),
    planner: models.planner && observedPlanner(telemetry, models.planner, providers.answers.kind),
  }
}

function observedPlanner(telemetry: Telemetry, planner: StepPlanner, provider: string): StepPlanner {
  const call: InferenceCall = { operation: 'chat', provider, model: planner.model }
  return { ...planner, next: (...input) => telemetry.inference(call, () => planner.next(...input)) }
}

function observedInference(telemetry: Telemetry, inference: Inference, planes: Providers['planes'] | null): Inference {
  const callFor = (plane: Plane): InferenceCall => ({
    operation: 'embed',
    provider: planes?.[plane].kind ?? 'builtin',
    model: inference.model(plane).name,
  })
  const { embedImages } = inference
  return {
    ...inference,
    embed: (plane, ...input) => telemetry.inference(callFor(plane), () => inference.embed(plane, ...input)),
    ...(embedImages && {
      embedImages: (plane, ...input) => telemetry.inference(callFor(plane), () => embedImages(plane, ...input)),
    }),
  }
}

function observedWriter(telemetry: Telemetry, writer: AnswerWriter, provider: string): AnswerWriter {
  const call: InferenceCall = { operation: 'chat', provider, model: writer.model }
  return { ...writer, write: (...input) => telemetry.inference(call, () => writer.write(...input)) }
}

function observedEntailment(telemetry: Telemetry, entailment: Entailment, provider: string): Entailment {
  const call: InferenceCall = { operation: 'judge', provider, model: entailment.method }
  return { ...entailment, score: (...input) => telemetry.inference(call, () => entailment.score(...input)) }
}

/** Slow work on long texts. */
export interface TextCalls {
  embed: { ask: { text: string }; answer: Float32Array | null }
  passage: { ask: { query: Sought; text: string; maxBytes: number; language: string | null }; answer: Passage }
}

/** A shorter text is processed faster here than in a thread. UTF-16 units. */
const shortText = 4_096

/**
 * Threads that embed and search long texts, started on first use. Each handles one text at a time. When a thread ends,
 * its current text fails, and the next text starts a new thread.
 */
function createTextThreads() {
  const max = Math.max(1, Math.min(4, availableParallelism() - 1))
  const ended = () => new Error('a text thread ended')
  const failureOf = ({ error }: Ending) => error ?? ended()
  const start = () => new WorkerHost<TextCalls>(new Worker(new URL('./text-thread.ts', import.meta.url)), { failureOf })
  const threads = createWorkerPool({ max, start })
  const call = <N extends keyof TextCalls>(name: N, ask: TextCalls[N]['ask']) =>
    threads.use((thread) => thread.call(name, ask))
  const read = createTextReader()

  const passages: Passages = {
    find: async (query, unit, maxBytes) => {
      const text = unit.text ?? ''
      // Nothing to find, so the text need not be read.
      if (query.text.trim() === '' && (query.phrases ?? []).length === 0 && Buffer.byteLength(text) <= maxBytes)
        return { start: 0, end: text.length, highlights: [] }
      const language = primaryLanguage(unit.language)
      return query.text.length + text.length < shortText
        ? passageIn(read(unit, text, language), query, maxBytes)
        : call('passage', { query, text, maxBytes, language })
    },
  }
  return { embed: (text: string) => call('embed', { text }), passages, close: () => threads.close(ended()) }
}
