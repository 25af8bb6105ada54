import { textAnalysis } from '../adapters/index-embedded/analysis/text-analysis.ts'
import { createBuiltinInference, type EmbedElsewhere } from '../adapters/inference-builtin/builtin-inference.ts'
import type { LocalReader } from '../adapters/ocr-onnx/local-reader.ts'
import { layOut } from '../adapters/parsers/pdf/reading-order.ts'
import type { Config } from '../config.ts'
import { createExtractiveWriter } from '../domain/answer/extractive-writer.ts'
import type { Bindings } from '../domain/bindings/bindings.ts'
import { createLexicalEntailment } from '../domain/faithfulness/lexical-entailment.ts'
import { createProximityReranker } from '../domain/search/proximity-reranker.ts'
import { multilingualModel } from '../model/language.ts'
import type { Log } from '../model/log.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { TextAnalysis } from '../ports/indexes/text-analysis.ts'
import type { EmbeddingKind, Inference } from '../ports/models/inference.ts'
import type { MediaModels, ReadText } from '../ports/models/media-models.ts'
import type { Models } from '../ports/models/models.ts'
import { type InferenceConfig, onlyEmbeddings } from '../settings/inference-config.ts'
import { isThere } from '../settings/media.ts'
import { systemRandom } from '../system.ts'
import { observedEntailment, observedInference, observedModels, observedWriter } from './observed.ts'

interface ConfiguredModels extends Pick<Bindings, 'fallbacks' | 'formerInference' | 'media' | 'analysis'> {
  models: Models
  /** Why the model that comes with the service cannot run here, in words for operators. */
  missing: string | null
  close(): Promise<void>
}

/** The configured models. While an external model for answers or entailment fails, the built-in one replaces it. */
export async function modelsOf(
  { inference: config }: Config,
  embed: EmbedElsewhere,
  telemetry: Telemetry,
  log: Log,
): Promise<ConfiguredModels> {
  const builtin: Models = {
    inference: createBuiltinInference(embed),
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
