import { OperatorError } from '../../model/operator-error.ts'
import { type Plane, planes } from '../../model/unit.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { EmbeddingModel } from '../../ports/models/inference.ts'
import type { Models } from '../../ports/models/models.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import { createDecoder, type Decoder } from '../local-models/decoder.ts'
import {
  addModel,
  classOfEntailment,
  createEmbedder,
  createEntailment,
  createReranker,
  type Embedder,
} from './loaded-model.ts'
import { readModelFiles, readSentenceFiles } from './model-files.ts'
import { missingPart, ownDirectory } from './own-model.ts'
import { createRunner, ended, OnnxError, type Runner } from './runner.ts'

/** A model in a directory of the operator, or with null as directory the one that comes with the service. */
export interface OnnxModel {
  kind: 'onnx'
  model: string
  directory: string | null
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
 * The configured local models, and `others` where none is configured. Throws ModelUnusableError with every problem of the
 * operator's models. The one that comes with the service is left out where it cannot run: then `missing` says why.
 * `close` ends their thread.
 */
export async function createOnnxModels(
  config: OnnxConfig,
  others: Models,
): Promise<{ models: Models; missing: string | null; close(): Promise<void> }> {
  const missing = missingPart()
  const runner = createRunner()
  const decoder = createDecoder(() => ended())
  const close = async () => {
    await Promise.all([runner.close(), decoder.close(ended())])
  }
  const problems: string[] = []
  const load = createLoader({ runner, decoder }, problems)
  const embedders: Partial<Record<Plane, Embedder>> = {}
  for (const plane of planes) {
    const asked = config.planes[plane]
    if (asked.kind === 'onnx' && asked.directory === null && missing !== null) continue
    const embedder = await load.embedder(asked)
    if (embedder) embedders[plane] = ofPictures.has(plane) ? embedder : { ...embedder, model: textsOf(embedder.model) }
  }
  const reranker = await load.reranker(config.rerank)
  const entailment = await load.entailment(config.entailment)
  if (problems.length > 0) {
    await close()
    throw new ModelUnusableError([...new Set(problems)])
  }
  const isMissed = planes.some((plane) => config.planes[plane].kind === 'onnx' && !embedders[plane])
  const inference: Models['inference'] = {
    model: (plane) => embedders[plane]?.model ?? others.inference.model(plane),
    embed: (plane, ...asked) => embedders[plane]?.embed(...asked) ?? others.inference.embed(plane, ...asked),
    embedImages: async (plane, pictures, ...asked) =>
      (await embedders[plane]?.embedImages?.(pictures, ...asked)) ?? pictures.map(() => null),
    ping: async () => {
      if (runner.isFailing()) throw ended()
      if (isMissed) throw new Error(missing ?? '')
      await others.inference.ping()
    },
  }
  const models = {
    ...others,
    inference,
    reranker: reranker ?? others.reranker,
    entailment: entailment ?? others.entailment,
  }
  return { models, missing: isMissed ? missing : null, close }
}

/** As with servers: in the other planes a model with two towers embeds texts. */
const ofPictures: ReadonlySet<Plane> = new Set(['visual', 'doc_visual'])
const textsOf = ({ images: _, ...model }: EmbeddingModel): EmbeddingModel => model

type Task<K extends keyof OnnxConfig> = OnnxConfig[K]

interface Machine {
  runner: Runner
  decoder: Decoder
}

/** Returns null for models of other adapters, and for models whose problem it has recorded. */
function createLoader(machine: Machine, problems: string[]) {
  const embedders = new Map<string, Embedder>()
  const told = async <T>({ setting, model }: OnnxModel, load: () => Promise<T>): Promise<T | null> => {
    try {
      return await load()
    } catch (error) {
      problems.push(problemOf(error, setting, model))
      return null
    }
  }
  const classifier = async ({ directory: place }: OnnxModel, task: string) => {
    const directory = place ?? ownDirectory()
    const { width: _, labels, cosines: _cosines, pictures: _pictures, ...files } = await readModelFiles(directory)
    const key = `${task}:${directory}`
    const spec = { ...files, key, directory, task: 'classify', pooling: 'mean', view: null } as const
    return { labels, model: await addModel(machine.runner, spec, null) }
  }

  return {
    embedder: async (config: Task<'planes'>[Plane]): Promise<Embedder | null> => {
      if (config.kind !== 'onnx') return null
      const { model: name, dims, setting } = config
      return told(config, async () => {
        const directory = config.directory ?? ownDirectory()
        const own = { name, builtin: config.directory === null }
        const embedder = embedders.get(directory) ?? (await loadEmbedder(machine, own, directory))
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
        const { model, labels } = await classifier(config, 'judge')
        const entailed = classOfEntailment(labels)
        if (entailed === null || model.width < 2 || entailed >= model.width) {
          throw new Error('is not an NLI classifier: none of its classes (id2label in config.json) is entailment')
        }
        return createEntailment(config.model, model, entailed)
      })
    },
  }
}

async function loadEmbedder({ runner, decoder }: Machine, own: { name: string; builtin: boolean }, directory: string) {
  const { width, labels: _, cosines, pictures, ...files } = await readModelFiles(directory)
  const { pooling, prompts } = await readSentenceFiles(directory)
  const common = { ...files, directory, task: 'embed' } as const
  if (pictures === null) {
    const spec = { ...common, key: `embed:${directory}`, pooling, view: null }
    return createEmbedder({ ...own, cosines }, await addModel(runner, spec, width), prompts, null)
  }
  const spec = { ...common, key: `embed:${directory}`, pooling: 'graph', view: null } as const
  const model = await addModel(runner, spec, width)
  const { fit, ...second } = pictures
  const tower = await addModel(runner, { ...spec, ...second, key: `see:${directory}` }, width)
  if (tower.width !== model.width)
    throw new Error(`has ${model.width} dimensions for texts, and ${tower.width} for pictures`)
  return createEmbedder({ ...own, cosines }, model, prompts, { tower, fit, decoder })
}

function problemOf(error: unknown, setting: string, model: string): string {
  if (!(error instanceof OnnxError)) return `${setting}: ${model} ${error instanceof Error ? error.message : 'fails'}`
  // The same for all models, so reported once.
  if (error.of === 'package') return packageProblem(error)
  const problem = error.of === 'load' ? 'cannot be loaded' : 'cannot be run'
  return `${setting}: ${model} ${problem} (${error.detail || error.message})`
}

const packageProblem = ({ message }: OnnxError) =>
  `they need the package onnxruntime-node, which cannot be loaded (${message}); npm install brings it`
