import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Graph, onnxFile } from '../../../src/adapters/model-store/onnx-file.ts'
import { inferenceGraph, lookupGraph, overlapGraph, pictureTower, slowGraph, textTower } from './graphs.ts'

/** Models small enough for a test to build, in the layout of transformers.js. Their vocabulary is the tests' words. */

const specials = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']
const texts = `
  how do i reset my a to forgotten password resetting boundary layer flow over flat plate the cat sat on mat . quarterly
  revenue grew keeper lights lamp at dusk lighthouse not does light ferries leave twice day harbour of brass stands in
  hall query passage : ? sentence many an anchor iron rope north south dark bright dawn`
const words = [...specials, ...new Set(texts.trim().split(/\s+/))]

const tinyDims = 16
const positions = 64

/** Fixed, and different for each token: a linear congruential generator (Numerical Recipes, 7.1). */
function directionOf(token: number): number[] {
  let state = token * 7919 + 1
  return Array.from({ length: tinyDims }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  })
}

const rowOf = (word: string, i: number) => {
  // A large value: it makes the result clearly wrong if padding is counted.
  if (word === '[PAD]') return Array<number>(tinyDims).fill(100)
  return word === '[CLS]' || word === '[SEP]' ? Array<number>(tinyDims).fill(0.01) : directionOf(i)
}

interface TinyModel {
  /** By the name of their file: model alone, or two towers. */
  graphs: Record<string, Graph>
  config?: Record<string, unknown>
  /** Further files, as JSON. */
  files?: Record<string, unknown>
}

/** Writes `<directory>/<name>`, and replaces an older one; returns its path. */
export function writeTinyModel(directory: string, name: string, { graphs, config, files = {} }: TinyModel): string {
  const folder = join(directory, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  const json = {
    'config.json': { model_type: 'bert', max_position_embeddings: positions, ...config },
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': { tokenizer_class: 'PreTrainedTokenizerFast', pad_token: '[PAD]' },
    ...files,
  }
  for (const [file, content] of Object.entries(json)) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), JSON.stringify(content))
  }
  for (const [file, graph] of Object.entries(graphs)) writeFileSync(join(folder, `onnx/${file}.onnx`), onnxFile(graph))
  return folder
}

const counted = { words: words.length, specials: specials.length }

/** Texts that share words are near each other. */
export const tinyEmbedder = (): TinyModel => ({
  graphs: { model: lookupGraph(words.map(rowOf)) },
  config: { architectures: ['BertModel'], hidden_size: tinyDims },
})

/** Takes some milliseconds for each layer, for a long text. */
export const slowEmbedder = (layers = 40): TinyModel => ({
  graphs: { model: slowGraph(words.length, 512, layers) },
  config: { architectures: ['BertModel'], max_position_embeddings: 512 },
})

/** Ranks texts with the query's words higher. */
export const tinyReranker = (): TinyModel => ({
  graphs: { model: overlapGraph(counted) },
  config: { architectures: ['BertForSequenceClassification'], id2label: { 0: 'LABEL_0' } },
})

/** A sentence follows from one that has all its words; an added `not` makes a contradiction. */
export const tinyJudge = (): TinyModel => ({
  graphs: { model: inferenceGraph({ ...counted, not: words.indexOf('not') }) },
  config: {
    architectures: ['BertForSequenceClassification'],
    id2label: { 0: 'contradiction', 1: 'entailment', 2: 'neutral' },
  },
})

/** Pixels, in both directions. */
const towerSide = 8
/** What texts say of the left and of the right half of a picture. */
const halves: Readonly<Record<string, [number, number]>> = {
  dark: [-1, -1],
  bright: [1, 1],
  dawn: [-1, 1],
  dusk: [1, -1],
}
const constant = 0.05

/** Texts and pictures: `dawn` is dark on the left and bright on the right, `dusk` the other way round. */
export function tinyTowers(family: 'clip' | 'siglip' | 'jina' = 'clip'): TinyModel {
  const rows = words.map((word) => [...(halves[word] ?? [0, 0]), word === '[CLS]' ? constant : 0])
  const [mean, std] = [Array(3).fill(0.5), Array(3).fill(0.5)]
  const size = { width: towerSide, height: towerSide }
  const preprocessor = {
    clip: {
      size: { shortest_edge: towerSide },
      crop_size: size,
      do_center_crop: true,
      image_mean: mean,
      image_std: std,
    },
    siglip: { size, resample: 2, image_mean: mean, image_std: std },
    jina: { size: towerSide, resize_mode: 'shortest', interpolation: 'bicubic', mean, std },
  }
  const [text, picture] = family === 'siglip' ? ['pooler_output', 'pooler_output'] : ['text_embeds', 'image_embeds']
  const encoder = { hidden_size: 3, max_position_embeddings: positions }
  return {
    graphs: {
      text_model: textTower(rows, text, family === 'siglip' ? positions : null),
      vision_model: pictureTower(towerSide, constant, picture),
    },
    config: {
      model_type: family,
      text_config: encoder,
      vision_config: { image_size: towerSide },
      ...(family !== 'siglip' && { projection_dim: 3 }),
    },
    files: { 'preprocessor_config.json': preprocessor[family] },
  }
}

const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
const part = (id: string, type: number) => ({ Sequence: { id, type_id: type } })
const separator = { SpecialToken: { id: '[SEP]', type_id: 1 } }
const idOf = (token: string) => ({ id: token, ids: [words.indexOf(token)], tokens: [token] })

const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: specials.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [special('[CLS]'), part('A', 0), special('[SEP]')],
    pair: [special('[CLS]'), part('A', 0), special('[SEP]'), part('B', 1), separator],
    special_tokens: { '[CLS]': idOf('[CLS]'), '[SEP]': idOf('[SEP]') },
  },
  decoder: null,
  model: {
    type: 'WordPiece',
    vocab: Object.fromEntries(words.map((word, i) => [word, i])),
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
  },
}
