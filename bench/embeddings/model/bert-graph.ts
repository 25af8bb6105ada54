import type { Attributes, Graph, Node } from '../../../src/adapters/model-store/onnx-file.ts'
import type { Weight } from './safetensors.ts'

/** The parts of config.json that shape the network. */
export interface BertConfig {
  hidden_size: number
  num_attention_heads: number
  num_hidden_layers: number
  layer_norm_eps: number
}

/** Added to the attention of padding. */
const masked = -10_000

/**
 * The encoder of BERT (Devlin et al. 2019; names of weights as in `transformers`) as an ONNX graph: `last_hidden_state`,
 * batch × tokens × dimensions. A sentence model is this and a pooling.
 */
export function bertGraph(trained: ReadonlyMap<string, Weight>, config: BertConfig): Graph {
  const { hidden_size: size, num_attention_heads: heads, num_hidden_layers: layers } = config
  const epsilon = config.layer_norm_eps
  const weights: Graph['weights'] = {
    head_shape: { shape: [4], values: [0, 0, heads, size / heads], type: 'int64' },
    joined_shape: { shape: [3], values: [0, 0, size], type: 'int64' },
    zero: { shape: [1], values: [0], type: 'int64' },
    mask_axes: { shape: [2], values: [1, 2], type: 'int64' },
    masked: { shape: [1], values: [masked] },
    one: { shape: [1], values: [1] },
    half: { shape: [1], values: [0.5] },
    scale: { shape: [1], values: [Math.sqrt(heads / size)] },
    root_half: { shape: [1], values: [Math.SQRT1_2] },
  }
  const nodes: Node[] = []
  const add = (op: string, inputs: readonly string[], output: string, attributes: Attributes = {}) => {
    nodes.push({ op, inputs, output, ...attributes })
    return output
  }
  const weight = (name: string) => {
    weights[name] = found(trained, name)
    return name
  }
  /** x Wᵀ + b: the file has W as outputs × inputs. */
  const dense = (input: string, name: string, output: string) => {
    weights[`${name}.weight`] = transposed(found(trained, `${name}.weight`))
    add('MatMul', [input, `${name}.weight`], `${output}_product`)
    return add('Add', [`${output}_product`, weight(`${name}.bias`)], output)
  }
  const normalise = (input: string, name: string, output: string) =>
    add('LayerNormalization', [input, weight(`${name}.weight`), weight(`${name}.bias`)], output, {
      floats: { epsilon },
    })
  const residual = (one: string, other: string, name: string, output: string) =>
    normalise(add('Add', [one, other], `${output}_sum`), name, output)

  const embedding = (part: string) => weight(`embeddings.${part}_embeddings.weight`)
  add('Gather', [embedding('word'), 'input_ids'], 'words')
  add('Gather', [embedding('token_type'), 'token_type_ids'], 'types')
  add('Shape', ['input_ids'], 'tokens', { ints: { start: 1, end: 2 } })
  add('Slice', [embedding('position'), 'zero', 'tokens', 'zero'], 'positions')
  add('Add', ['words', 'types'], 'typed')
  let hidden = residual('typed', 'positions', 'embeddings.LayerNorm', 'embedded')
  add('Cast', ['attention_mask'], 'mask', { ints: { to: 1 } })
  add('Sub', ['one', 'mask'], 'padding')
  add('Mul', ['padding', 'masked'], 'penalty')
  add('Unsqueeze', ['penalty', 'mask_axes'], 'penalties')

  for (let i = 0; i < layers; i++) {
    const layer = `encoder.layer.${i}`
    const at = (name: string) => `${name}_${i}`
    const split = (part: string, perm: readonly number[]) => {
      const projected = dense(hidden, `${layer}.attention.self.${part}`, at(part))
      return add('Transpose', [add('Reshape', [projected, 'head_shape'], at(`${part}_heads`))], at(`${part}_turned`), {
        lists: { perm },
      })
    }
    const product = add('MatMul', [split('query', [0, 2, 1, 3]), split('key', [0, 2, 3, 1])], at('product'))
    const scores = add('Add', [add('Mul', [product, 'scale'], at('scaled')), 'penalties'], at('scores'))
    const mixed = add('MatMul', [add('Softmax', [scores], at('shares')), split('value', [0, 2, 1, 3])], at('mixed'))
    const turned = add('Transpose', [mixed], at('turned'), { lists: { perm: [0, 2, 1, 3] } })
    const joined = add('Reshape', [turned, 'joined_shape'], at('joined'))
    const attended = dense(joined, `${layer}.attention.output.dense`, at('attended'))
    const context = residual(attended, hidden, `${layer}.attention.output.LayerNorm`, at('context'))
    // GELU (Hendrycks & Gimpel 2016): x (1 + erf(x / √2)) / 2.
    const wide = dense(context, `${layer}.intermediate.dense`, at('wide'))
    const erf = add('Erf', [add('Mul', [wide, 'root_half'], at('argument'))], at('erf'))
    const gate = add('Mul', [add('Add', [erf, 'one'], at('above')), 'half'], at('gate'))
    const narrow = dense(add('Mul', [wide, gate], at('gelu')), `${layer}.output.dense`, at('narrow'))
    const output = i === layers - 1 ? 'last_hidden_state' : at('hidden')
    hidden = residual(narrow, context, `${layer}.output.LayerNorm`, output)
  }
  const ids = { shape: ['batch', 'tokens'], type: 'int64' } as const
  return {
    inputs: { input_ids: ids, attention_mask: ids, token_type_ids: ids },
    outputs: { last_hidden_state: { shape: ['batch', 'tokens', size], type: 'float' } },
    weights,
    nodes,
  }
}

function found(trained: ReadonlyMap<string, Weight>, name: string): Weight {
  const weight = trained.get(name)
  if (weight === undefined) throw new Error(`the model has no weight ${name}`)
  return weight
}

function transposed({ shape, values }: Weight): Weight {
  const [rows = 0, columns = 0] = shape
  const turned = new Float32Array(values.length)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = values[i * columns + j] ?? 0
  }
  return { shape: [columns, rows], values: turned }
}
