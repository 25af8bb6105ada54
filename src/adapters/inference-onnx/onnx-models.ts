import { OperatorError } from '../../model/operator-error.ts'
import { type Plane, planes } from '../../model/unit.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { Models } from '../../ports/models/models.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import {
  classOfEntailment,
  createEmbedder,
  createEntailment,
  createReranker,
  type Embedder,
  type LoadedModel,
  loadModel,
} from './loaded-model.ts'
import type { Pooling } from './messages.ts'
import { type ModelFiles, readModelFiles, readSentenceFiles } from './model-files.ts'
import { createRunner, ended, OnnxError, type Runner } from './runner.ts'

/** A model in a directory of the operator. */
export interface OnnxModel {
  kind: 'onnx'
  /** The part of its name after `onnx:`. */
  model: string
  directory: string
  /** The setting that names it, for error messages. */
  setting: string
}

/** Without `dims` the model determines their number; otherwise it must match. */
export type OnnxEmbedding = OnnxModel & { dims: number | null }

/** Planes that other adapters handle. */
type Elsewhere = { kind: 'builtin' | 'openai' | 'pinecone' | 'tei' }

export interface OnnxConfig {
  planes: Record<Plane, Elsewhere | OnnxEmbedding>
  rerank: Elsewhere | OnnxModel
  entailment: Elsewhere | OnnxModel
}

/** A model cannot be used as configured; the message says which setting is wrong and why. */
class ModelUnusableError extends OperatorError {
  override readonly name = 'ModelUnusableError'

  constructor(problems: readonly string[]) {
    super(`local models cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
}

/**
 * The configured local models, and `others` where none is configured. Loads and tests all models here: throws
 * ModelUnusableError with every problem found. `close` ends their thread.
 */
export async function createOnnxModels(
  config: OnnxConfig,
  others: Models,
): Promise<{ models: Models; close(): Promise<void> }> {
  const runner = createRunner()
  const problems: string[] = []
  const load = createLoader(runner, problems)
  const embedders: Partial<Record<Plane, Embedder>> = {}
  for (const plane of planes) {
    const embedder = await load.embedder(config.planes[plane])
    if (embedder) embedders[plane] = embedder
  }
  const reranker = await load.reranker(config.rerank)
  const entailment = await load.entailment(config.entailment)
  if (problems.length > 0) {
    await runner.close()
    throw new ModelUnusableError([...new Set(problems)])
  }
  const inference: Models['inference'] = {
    model: (plane) => embedders[plane]?.model ?? others.inference.model(plane),
    embed: (plane, ...asked) => embedders[plane]?.embed(...asked) ?? others.inference.embed(plane, ...asked),
    ping: async () => {
      if (runner.isFailing()) throw ended()
      await others.inference.ping()
    },
  }
  const models = {
    ...others,
    inference,
    reranker: reranker ?? others.reranker,
    entailment: entailment ?? others.entailment,
  }
  return { models, close: runner.close }
}

type Task<K extends keyof OnnxConfig> = OnnxConfig[K]

/** Returns null for models of other adapters, and for models whose problem it has recorded. */
function createLoader(runner: Runner, problems: string[]) {
  const embedders = new Map<string, Embedder>()
  const told = async <T>({ setting, model }: OnnxModel, load: () => Promise<T>): Promise<T | null> => {
    try {
      return await load()
    } catch (error) {
      problems.push(problemOf(error, setting, model))
      return null
    }
  }
  const classifier = async ({ directory }: OnnxModel, task: string) => {
    const files = await readModelFiles(directory)
    return { files, model: await loaded(runner, { key: `${task}:${directory}`, directory, task: 'classify', files }) }
  }

  return {
    embedder: async (config: Task<'planes'>[Plane]): Promise<Embedder | null> => {
      if (config.kind !== 'onnx') return null
      const { directory, model: name, dims, setting } = config
      return told(config, async () => {
        const embedder = embedders.get(directory) ?? (await loadEmbedder(runner, name, directory))
        embedders.set(directory, embedder)
        const { dims: width } = embedder.model
        const given = setting.replace('MODEL', 'DIMS')
        if (dims !== null && dims !== width) throw new Error(`has ${width} dimensions, which is not what ${given} says`)
        return embedder
      })
    },
    reranker: async (config: Task<'rerank'>): Promise<Reranker | null> => {
      if (config.kind !== 'onnx') return null
      return told(config, async () => {
        const { model } = await classifier(config, 'rerank')
        if (model.width !== 1) throw new Error(`is not a reranker: it has ${model.width} classes, not one`)
        return createReranker(config.model, model)
      })
    },
    entailment: async (config: Task<'entailment'>): Promise<Entailment | null> => {
      if (config.kind !== 'onnx') return null
      return told(config, async () => {
        const { model, files } = await classifier(config, 'judge')
        const entailed = classOfEntailment(files.labels)
        if (entailed === null || model.width < 2 || entailed >= model.width) {
          throw new Error('is not an NLI classifier: none of its classes (id2label in config.json) is entailment')
        }
        return createEntailment(config.model, model, entailed)
      })
    },
  }
}

async function loadEmbedder(runner: Runner, name: string, directory: string): Promise<Embedder> {
  const files = await readModelFiles(directory)
  const { pooling, prompts } = await readSentenceFiles(directory)
  const spec = { key: `embed:${directory}`, directory, task: 'embed', files, pooling } as const
  return createEmbedder(name, await loaded(runner, spec), prompts)
}

interface Loading {
  key: string
  directory: string
  task: 'embed' | 'classify'
  files: ModelFiles
  pooling?: Pooling
}

const loaded = (
  runner: Runner,
  { files: { dtype, maxTokens }, pooling = 'mean', ...rest }: Loading,
): Promise<LoadedModel> => loadModel(runner, { ...rest, dtype, maxTokens, pooling })

function problemOf(error: unknown, setting: string, model: string): string {
  if (!(error instanceof OnnxError)) return `${setting}: ${model} ${error instanceof Error ? error.message : 'fails'}`
  // The same for all models, so reported once.
  if (error.of === 'package') return packageProblem(error)
  const problem = error.of === 'load' ? 'cannot be loaded' : 'cannot be run'
  return `${setting}: ${model} ${problem} (${error.detail || error.message})`
}

const packageProblem = ({ message }: OnnxError) =>
  `they need the package @huggingface/transformers, which cannot be loaded (${message}); npm run install:onnx brings it`
