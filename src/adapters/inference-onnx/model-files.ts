import { access, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../model/json.ts'
import type { Cosines, EmbeddingKind } from '../../ports/models/inference.ts'
import type { Fit, Size } from '../local-models/pixels.ts'
import type { ModelSpec, Pooling, View } from './messages.ts'

/** Attention grows with the square of the tokens: longer texts would block all other work. */
const maxTokens = 2048
const usualTokens = 512

const count = z.number().int().positive().optional()
const encoder = z.object({
  model_type: z.string().optional(),
  hidden_size: count,
  max_position_embeddings: count,
  pad_token_id: z.number().int().nullish(),
})
const config = encoder.extend({
  /** Of a model with two towers. */
  text_config: encoder.optional(),
  projection_dim: count,
  id2label: z.record(z.string(), z.string()).optional(),
})
const tokenizerConfig = z.object({ model_max_length: z.number().nullish() })
const sentenceConfig = z.object({ max_seq_length: z.number().nullish() })

/** These start counting positions after the padding token's id. */
const offsetTypes = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet'])

/** What `model add` writes beside a model that it has checked, and what the model that comes with the service has. */
const manifest = z.object({
  files: z.record(z.string(), z.string()),
  floor: z.number().optional(),
  floor_across: z.number().optional(),
  languages: z.array(z.string()).optional(),
})

type Weights = Pick<ModelSpec, 'weights' | 'parts'>

export interface ModelFiles extends Weights, Pick<ModelSpec, 'hashes' | 'maxTokens' | 'padded'> {
  /** Its second tower; null for a model of texts alone. */
  pictures: (Weights & PictureFiles) | null
  /** What model.json says of its cosines. */
  cosines: Cosines | undefined
  /** The width of its vectors; null if only a run can tell, as for every model without model.json. */
  width: number | null
  /** The classes of the logits, in their order; null if the model does not name them. */
  labels: readonly string[] | null
}

/** The settings in a model's directory. Throws a sentence for operators if a required file or value is missing. */
export async function readModelFiles(directory: string): Promise<ModelFiles> {
  const found = await stat(directory).catch(() => null)
  if (!found?.isDirectory()) throw new Error('has no directory in MODELS_DIR')
  const { id2label, text_config, projection_dim, ...whole } = await readJson(directory, 'config.json', config)
  if (!(await exists(directory, 'tokenizer.json'))) throw new Error('lacks the file tokenizer.json')
  const weights = await weightsOf(directory, 'text_model')
  const pictures = weights && (await readPictureFiles(directory))
  const { hidden_size, ...positions } = { ...whole, ...(pictures && text_config) }
  const known = await readJson(directory, 'model.json', manifest.nullable(), null)
  const { model_max_length } = await readJson(directory, 'tokenizer_config.json', tokenizerConfig)
  const sentence = await readJson(directory, 'sentence_bert_config.json', sentenceConfig, {})
  const limits = [positionsOf(positions), model_max_length, sentence.max_seq_length].filter(
    (limit) => typeof limit === 'number' && limit >= 1 && limit < 1e6,
  )
  return {
    ...(weights ?? (await someWeights(directory, 'model'))),
    pictures,
    padded: pictures !== null && /^siglip/.test(whole.model_type ?? ''),
    hashes: known?.files ?? {},
    cosines: cosinesOf(known),
    width: known && (projection_dim ?? hidden_size ?? null),
    maxTokens: Math.min(maxTokens, ...(limits.length > 0 ? limits : [usualTokens]).map(Number)),
    labels: id2label ? Object.values(id2label) : null,
  }
}

function cosinesOf(known: z.infer<typeof manifest> | null): Cosines | undefined {
  const { floor, floor_across: floorAcross, languages } = known ?? {}
  if (floor === undefined) return undefined
  return { floor, ...(floorAcross !== undefined && { floorAcross }), ...(languages && { languages }) }
}

function positionsOf({ model_type = '', max_position_embeddings: max, pad_token_id }: z.infer<typeof config>) {
  if (max === undefined) return null
  return offsetTypes.has(model_type) ? max - (pad_token_id ?? 1) - 1 : max
}

/** Null where the model has no such graph. */
async function weightsOf(directory: string, name: string): Promise<Weights | null> {
  for (const weights of [`onnx/${name}.onnx`, `onnx/${name}_quantized.onnx`]) {
    if (await exists(directory, weights)) return { weights, parts: 0 }
    let parts = 0
    while (await exists(directory, `${weights}.part${parts + 1}`)) parts += 1
    if (parts > 0) return { weights, parts }
  }
  return null
}

async function someWeights(directory: string, name: string): Promise<Weights> {
  const found = await weightsOf(directory, name)
  if (found === null) throw new Error(`lacks the file onnx/${name}.onnx`)
  return found
}

async function readPictureFiles(directory: string): Promise<Weights & PictureFiles> {
  const preprocessor = await readJson(directory, 'preprocessor_config.json', preprocessorConfig)
  return { ...(await someWeights(directory, 'vision_model')), ...pictureFiles(preprocessor) }
}

const exists = (directory: string, file: string) =>
  access(join(directory, file)).then(
    () => true,
    () => false,
  )

/** An optional file has a fallback value. */
async function readJson<S extends z.ZodType>(
  directory: string,
  file: string,
  schema: S,
  fallback?: z.input<S>,
): Promise<z.output<S>> {
  const text = await readFile(join(directory, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && fallback !== undefined) return null
    throw new Error(error.code === 'ENOENT' ? `lacks the file ${file}` : `has a file ${file} that cannot be read`)
  })
  const { success, data } = schema.safeParse(text === null ? fallback : parseJson(text))
  if (!success) throw new Error(`has a damaged file ${file}`)
  return data
}

/** The files of sentence-transformers next to a model: how its vectors are made from token vectors. */

const modules = z.array(z.object({ type: z.string(), path: z.string() }))
/**
 * One of these is true, or the mode is named:
 * https://sbert.net/docs/package_reference/sentence_transformer/modules.html
 */
const poolingConfig = z.object({
  pooling_mode: z.string().optional(),
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(false),
  pooling_mode_lasttoken: z.boolean().default(false),
})
const promptConfig = z.object({
  prompts: z.record(z.string(), z.string().nullable()).nullish(),
  default_prompt_name: z.string().nullish(),
})
const poolingFile = '1_Pooling/config.json'

export interface SentenceFiles {
  pooling: Pooling
  /** The prompt before a text, by the kind of text; usually empty. */
  prompts: Record<EmbeddingKind, string>
}

/** Throws a sentence for operators if a model cannot be used as its files say. */
export async function readSentenceFiles(directory: string): Promise<SentenceFiles> {
  const parts = await readJson(directory, 'modules.json', modules, [])
  if (parts.some(({ type }) => type.endsWith('Dense'))) throw new Error('has layers behind its pooling (modules.json)')
  const pooling = await readJson(directory, poolingFile, poolingConfig, { pooling_mode: 'mean' })
  const { prompts, default_prompt_name } = await readJson(
    directory,
    'config_sentence_transformers.json',
    promptConfig,
    {},
  )
  const usual = prompts?.[default_prompt_name ?? ''] ?? ''
  return {
    pooling: poolingOf(pooling),
    prompts: {
      query: prompts?.query ?? usual,
      passage: prompts?.document ?? prompts?.passage ?? usual,
    },
  }
}

function poolingOf(config: z.infer<typeof poolingConfig>): Pooling {
  const { pooling_mode: named, pooling_mode_cls_token: cls, pooling_mode_lasttoken: last } = config
  if (named === 'cls' || named === 'mean' || named === 'lasttoken') return named
  if (named === undefined && cls) return 'cls'
  if (named === undefined && last) return 'lasttoken'
  if (named === undefined && config.pooling_mode_mean_tokens) return 'mean'
  throw new Error(`has a pooling in ${poolingFile} other than mean, cls and lasttoken`)
}

/** How a tower reads pictures: what of them, and as which numbers. */
interface PictureFiles {
  fit: Fit
  view: View
}

const side = z.number().int().min(1).max(1024)
const square = side.transform((length) => ({ width: length, height: length }))
const box = z.object({ width: side, height: side })
const colours = z.array(z.number()).length(3)

/**
 * preprocessor_config.json, as the processors of CLIP, SigLIP and jina-clip write it:
 * https://huggingface.co/docs/transformers/main_classes/image_processor. Jina has names of its own.
 */
const preprocessorConfig = z.object({
  do_resize: z.literal(true).default(true),
  do_center_crop: z.boolean().optional(),
  do_pad: z.literal(false).nullish(),
  do_rescale: z.boolean().default(true),
  do_normalize: z.boolean().default(true),
  size: z.union([side, z.array(side).nonempty(), box, z.object({ shortest_edge: side })]),
  crop_size: z.union([square, box]).nullish(),
  resample: z.number().int().min(0).max(4).optional(),
  interpolation: z.enum(['bilinear', 'bicubic']).default('bicubic'),
  resize_mode: z.enum(['shortest', 'squash']).optional(),
  rescale_factor: z
    .number()
    .positive()
    .default(1 / 255),
  image_mean: colours.optional(),
  mean: colours.default([0.5, 0.5, 0.5]),
  image_std: colours.optional(),
  std: colours.default([0.5, 0.5, 0.5]),
})

/** By the numbers of Pillow: https://pillow.readthedocs.io/en/stable/reference/Image.html#resampling-filters */
const filters = ['Point', 'Lanczos', 'Triangle', 'Catrom', 'Box'] as const

/** Throws a sentence for operators where no such picture can be made. */
function pictureFiles(config: z.infer<typeof preprocessorConfig>): PictureFiles {
  const { size, crop_size, resize_mode, resample = config.interpolation === 'bicubic' ? 3 : 2 } = config
  const isCropped =
    config.do_center_crop ?? (resize_mode === undefined ? crop_size != null : resize_mode === 'shortest')
  const resize = resizeTo(size, isCropped)
  const whole = 'shortest' in resize ? { width: resize.shortest, height: resize.shortest } : resize
  const crop = isCropped ? (crop_size ?? whole) : whole
  if ('shortest' in resize && !isCropped) throw new Error('reads pictures of any size, which is not possible here')
  if (crop.width > whole.width || crop.height > whole.height)
    throw new Error('fills up pictures, which is not possible here')
  const { do_rescale, do_normalize, rescale_factor, image_mean, mean, image_std, std } = config
  return {
    fit: { resize, crop, filter: filters[resample] ?? 'Catrom' },
    view: {
      ...crop,
      scale: do_rescale ? rescale_factor : 1,
      mean: do_normalize ? (image_mean ?? mean) : [0, 0, 0],
      deviation: do_normalize ? (image_std ?? std) : [1, 1, 1],
    },
  }
}

/** A number is the shorter side where the middle is cut out, otherwise both. */
function resizeTo(size: z.infer<typeof preprocessorConfig>['size'], isCropped: boolean): Size | { shortest: number } {
  if (typeof size === 'object' && 'width' in size) return size
  if (typeof size === 'object' && 'shortest_edge' in size) return { shortest: size.shortest_edge }
  const [width = 0, height = width] = [size].flat()
  return isCropped ? { shortest: Math.min(width, height) } : { width, height }
}
