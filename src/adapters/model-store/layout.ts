import { access, copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { z } from 'zod'
import { RefusedError } from '../../model/operator-error.ts'
import { hashOf } from '../local-models/runtime.ts'
import { checkHash } from './fetch-file.ts'
import { metadataOf } from './onnx-file.ts'

/** What a model does: `classifier` judges pairs of texts (rerankers, NLI), `ocr` reads text in pictures. */
export type ModelKind = 'embedding' | 'classifier' | 'ocr'

/** `model.json`: what a model is and where it is from. `files`: the SHA-256 of each, by its path. */
const manifest = z.looseObject({
  name: z.string(),
  kind: z.enum(['embedding', 'classifier', 'ocr']),
  licence: z.string().nullish(),
  origin: z.string().nullish(),
  files: z.record(z.string(), z.string()),
})
export type Manifest = z.infer<typeof manifest>

const config = z.object({
  architectures: z.array(z.string()).nullish(),
  projection_dim: z.number().optional(),
  hidden_size: z.number().optional(),
  dim: z.number().optional(),
  d_model: z.number().optional(),
})

/** Files of a model. Weights may be in parts, and may have a file of data beside them. */
const files = [
  /^(?:config|tokenizer|tokenizer_config|special_tokens_map|preprocessor_config|modules|model)\.json$/,
  /^(?:sentence_bert_config|config_sentence_transformers|1_Pooling\/config)\.json$/,
  /^onnx\/[\w.-]+\.onnx(?:_data|\.data)?(?:\.part\d{1,3})?$/,
  /^(?:det|rec)\.onnx$|^dict\.txt$/,
  /^(?:README|LICENSE|LICENCE|NOTICE|MODEL_LICENSES)(?:\.md|\.txt)?$/i,
]

/** Where a file of a source belongs in the directory of a model; null for what is not a part of one. */
function placeOf(path: string): string | null {
  // Many sources have the weights beside config.json.
  const at = /^(?:text_|vision_)?model(?:_quantized)?\.onnx/.test(path) ? `onnx/${path}` : path
  return files.some((pattern) => pattern.test(at)) ? at : null
}

/** Copies, or moves, the files of the model that is in a folder or in a folder of it. */
export async function takeModel(folder: string, to: string, how: 'copy' | 'move'): Promise<void> {
  const paths = (await readdir(folder, { recursive: true })).map((path) => path.split(sep).join('/'))
  const roots = paths.filter((path) => /(?:^|\/)(?:config\.json|det\.onnx)$/.test(path) && !path.includes('1_Pooling/'))
  const [root] = roots.map((path) => path.replace(/[^/]+$/, '')).sort((a, b) => a.length - b.length)
  if (root === undefined) throw new RefusedError(`${folder} is not a model: it has no config.json`)
  for (const path of paths.filter((path) => path.startsWith(root))) {
    const place = placeOf(path.slice(root.length))
    if (place === null) continue
    await mkdir(dirname(join(to, place)), { recursive: true })
    await (how === 'copy' ? copyFile : rename)(join(folder, path), join(to, place))
  }
}

/** What is known of a model from its files. `manifest` is null where there is no model.json. */
export interface Described {
  kind: ModelKind
  dims: number | null
  manifest: Manifest | null
  licence: string | null
  /** The settings that name such a model; none for one that is used as it lies there. */
  settings: readonly string[]
}

/** Throws a RefusedError if files that every model of its kind has are missing or damaged. */
export async function describeModel(directory: string): Promise<Described> {
  const stored = await readJson(directory, 'model.json', manifest)
  const licence = stored?.licence ?? (await licenceOf(directory))
  if (await exists(join(directory, 'det.onnx'))) {
    await requireFiles(directory, 'rec.onnx', 'dict.txt')
    return { kind: 'ocr', dims: null, manifest: stored, licence, settings: [] }
  }
  const settings = await readJson(directory, 'config.json', config)
  if (settings === null) throw new RefusedError('it has no config.json')
  await requireFiles(directory, 'tokenizer.json', 'tokenizer_config.json')
  const weights = (await readdir(join(directory, 'onnx')).catch(() => [])).map((name) => name.replace(/\.part\d+$/, ''))
  const has = (name: string) => weights.includes(`${name}.onnx`) || weights.includes(`${name}_quantized.onnx`)
  const { architectures, projection_dim, hidden_size, dim, d_model } = settings
  if (has('text_model') && has('vision_model')) {
    await requireFiles(directory, 'preprocessor_config.json')
    const forPictures = ['EMBED_MODEL_VISUAL', 'EMBED_MODEL_DOC_VISUAL']
    return { kind: 'embedding', dims: projection_dim ?? null, manifest: stored, licence, settings: forPictures }
  }
  if (!has('model')) {
    throw new RefusedError('it has no onnx/model.onnx or onnx/model_quantized.onnx; --weights names another file')
  }
  const isClassifier = (architectures ?? []).some((name) => name.endsWith('ForSequenceClassification'))
  const kind = stored?.kind ?? (isClassifier ? 'classifier' : 'embedding')
  const isEmbedder = kind === 'embedding'
  const dims = isEmbedder ? (hidden_size ?? dim ?? d_model ?? null) : null
  const entails = isClassifier && /entail/i.test(await readFile(join(directory, 'config.json'), 'utf8'))
  const setting = isEmbedder ? 'EMBED_MODEL' : entails ? 'NLI_MODEL' : 'RERANK_MODEL'
  return { kind, dims, manifest: stored, licence, settings: [setting] }
}

async function requireFiles(directory: string, ...names: string[]): Promise<void> {
  for (const name of names) if (!(await exists(join(directory, name)))) throw new RefusedError(`it has no ${name}`)
}

/** The characters of a text recogniser, from the metadata of its weights, where no list is beside them. */
export async function addCharacters(directory: string): Promise<void> {
  const [list, weights] = [join(directory, 'dict.txt'), join(directory, 'rec.onnx')]
  if ((await exists(list)) || !(await exists(weights))) return
  const characters = metadataOf(await readFile(weights), 'character')
  if (characters === null) throw new RefusedError('rec.onnx does not say which characters it reads; add a dict.txt')
  await writeFile(list, characters.endsWith('\n') ? characters : `${characters}\n`)
}

/** The service reads this file, but some models have nothing to say in it. */
export async function addTokenizerConfig(directory: string): Promise<void> {
  const [tokenizer, settings] = [join(directory, 'tokenizer.json'), join(directory, 'tokenizer_config.json')]
  if ((await exists(tokenizer)) && !(await exists(settings))) await writeFile(settings, '{}\n')
}

/** The licence in the head of a model card: https://huggingface.co/docs/hub/model-cards */
async function licenceOf(directory: string): Promise<string | null> {
  const card = await readFile(join(directory, 'README.md'), 'utf8').catch(() => '')
  const [head = ''] = /^---\n.*?\n---/s.exec(card.replaceAll('\r', '')) ?? []
  return /^license: *["']?([\w.+-]+)/m.exec(head)?.[1] ?? null
}

/** The SHA-256 of each file, by path; parts of a file count as one. Those of `expected` are checked; an empty one is not. */
export async function hashFiles(directory: string, expected: Manifest['files'] = {}): Promise<Manifest['files']> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
  const whole = new Map<string, string[]>()
  for (const path of paths.map((path) => path.split(sep).join('/')).filter((path) => path !== 'model.json')) {
    const name = path.replace(/\.part\d+$/, '')
    whole.set(name, [...(whole.get(name) ?? []), path])
  }
  const hashes: Manifest['files'] = {}
  for (const [name, parts] of [...whole].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const numbered = parts.sort((a, b) => partOf(a) - partOf(b))
    const found = await hashOf(...numbered.map((part) => join(directory, part)))
    hashes[name] = found
    checkHash(name, found, expected[name] || undefined)
  }
  const missing = Object.keys(expected).find((name) => hashes[name] === undefined)
  if (missing !== undefined) throw new RefusedError(`it has no ${missing}, which its model.json names`)
  return hashes
}

const partOf = (path: string) => Number(/\.part(\d+)$/.exec(path)?.[1] ?? 0)

/** Null where there is no such file. */
async function readJson<S extends z.ZodType>(directory: string, file: string, shape: S): Promise<z.output<S> | null> {
  const path = join(directory, file)
  if (!(await exists(path))) return null
  try {
    return shape.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    throw new RefusedError(`its ${file} is damaged`)
  }
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
