import type { Graph, Node } from '../../../src/adapters/model-store/onnx-file.ts'

const ids = { shape: ['batch', 'tokens'], type: 'int64' } as const
const inputs = { input_ids: ids, attention_mask: ids, token_type_ids: ids }
const one = { shape: [1], values: [1] }

const node = (op: string, from: readonly string[], output: string, ints?: Record<string, number>): Node => ({
  op,
  inputs: from,
  output,
  ...(ints && { ints }),
})

/** Looks up the row of each token: `last_hidden_state`. */
export function lookupGraph(rows: readonly (readonly number[])[]): Graph {
  const dims = rows[0]?.length ?? 0
  return {
    inputs,
    outputs: { last_hidden_state: { shape: ['batch', 'tokens', dims], type: 'float' } },
    weights: { rows: { shape: [rows.length, dims], values: rows.flat() } },
    nodes: [node('Gather', ['rows', 'input_ids'], 'last_hidden_state')],
  }
}

/** The same, followed by N multiplications with an identity matrix, which make it slow. */
export function slowGraph(tokens: number, dims: number, layers: number): Graph {
  const outputs = Array.from({ length: layers }, (_, i) => (i === layers - 1 ? 'last_hidden_state' : `layer${i}`))
  const identity = Array.from({ length: dims * dims }, (_, i) => (i % (dims + 1) === 0 ? 1 : 0))
  return {
    inputs,
    outputs: { last_hidden_state: { shape: ['batch', 'tokens', dims], type: 'float' } },
    weights: {
      rows: { shape: [tokens, dims], values: Array.from({ length: tokens * dims }, (_, i) => 1 + (i % 7)) },
      identity: { shape: [dims, dims], values: identity },
    },
    nodes: [
      node('Gather', ['rows', 'input_ids'], 'looked_up'),
      ...outputs.map((output, i) => node('MatMul', [outputs[i - 1] ?? 'looked_up', 'identity'], output)),
    ],
  }
}

/**
 * Counts each word in the first and in the second part of a pair: `first` and `second`, 1 × words each. The first
 * `specials` tokens are not words and count as zero.
 */
function countsOfParts(words: number, specials: number) {
  const identity = Array.from({ length: words * words }, (_, i) =>
    i % (words + 1) === 0 && i >= specials * words ? 1 : 0,
  )
  const nodes = [
    node('Gather', ['identity', 'input_ids'], 'words'),
    node('Cast', ['token_type_ids'], 'part', { to: 1 }),
    node('Cast', ['attention_mask'], 'mask', { to: 1 }),
    node('Mul', ['part', 'mask'], 'in_second'),
    node('Sub', ['mask', 'in_second'], 'in_first'),
    ...['first', 'second'].flatMap((name) => [
      node('Unsqueeze', [`in_${name}`, 'axis'], `row_${name}`),
      node('MatMul', [`row_${name}`, 'words'], name),
    ]),
  ]
  const weights = {
    identity: { shape: [words, words], values: identity },
    axis: { shape: [1], values: [1], type: 'int64' as const },
    one,
  }
  return { nodes, weights }
}

/** One logit for each pair: positive if the second part has a word of the first, higher with more occurrences. */
export function overlapGraph({ words, specials }: { words: number; specials: number }): Graph {
  const counts = countsOfParts(words, specials)
  return {
    inputs,
    outputs: { logits: { shape: ['batch', 1], type: 'float' } },
    weights: {
      ...counts.weights,
      half: { shape: [1], values: [0.5] },
      all: { shape: [words, 1], values: Array(words).fill(1) },
    },
    nodes: [
      ...counts.nodes,
      node('Mul', ['first', 'second'], 'shared'),
      node('MatMul', ['shared', 'all'], 'overlap'),
      node('Squeeze', ['overlap', 'axis'], 'sum'),
      node('Sub', ['sum', 'half'], 'logits'),
    ],
  }
}

/**
 * Three logits for each pair, in the order contradiction, entailment, neutral. Entailment: the first part contains
 * every word of the second. Contradiction: only one part contains the word `not`.
 */
export function inferenceGraph({ words, specials, not }: { words: number; specials: number; not: number }): Graph {
  const counts = countsOfParts(words, specials)
  const column = (at: (i: number) => number) => ({
    shape: [words, 1],
    values: Array.from({ length: words }, (_, i) => at(i)),
  })
  return {
    inputs,
    outputs: { logits: { shape: ['batch', 3], type: 'float' } },
    weights: {
      ...counts.weights,
      all: column(() => 1),
      only_not: column((i) => (i === not ? 1 : 0)),
      // Rows: missing words; a negation in only one part.
      judge: { shape: [2, 3], values: [0, -8, 8, 20, -20, 0] },
      bias: { shape: [3], values: [-4, 4, -6] },
    },
    nodes: [
      ...counts.nodes,
      node('Min', ['first', 'one'], 'known'),
      node('Sub', ['one', 'known'], 'unknown'),
      node('Mul', ['second', 'unknown'], 'missing_words'),
      node('MatMul', ['missing_words', 'all'], 'missing'),
      node('Sub', ['first', 'second'], 'difference'),
      node('Abs', ['difference'], 'distance'),
      node('MatMul', ['distance', 'only_not'], 'negated'),
      node('Concat', ['missing', 'negated'], 'features', { axis: 2 }),
      node('MatMul', ['features', 'judge'], 'judged'),
      node('Add', ['judged', 'bias'], 'biased'),
      node('Squeeze', ['biased', 'axis'], 'logits'),
    ],
  }
}

/** The sum of the rows of its tokens: `text_embeds`, or `pooler_output`. With `length` it takes that many tokens only. */
export function textTower(rows: readonly (readonly number[])[], output: string, length: number | null): Graph {
  const dims = rows[0]?.length ?? 0
  return {
    inputs: { input_ids: { shape: ['batch', length ?? 'tokens'], type: 'int64' } },
    outputs: { [output]: { shape: ['batch', dims], type: 'float' } },
    weights: {
      rows: { shape: [rows.length, dims], values: rows.flat() },
      axis: { shape: [1], values: [1], type: 'int64' },
    },
    nodes: [
      node('Gather', ['rows', 'input_ids'], 'words'),
      node('ReduceSum', ['words', 'axis'], output, { keepdims: 0 }),
    ],
  }
}

/** How bright the left and the right half of a picture are, and a constant. */
export function pictureTower(side: number, constant: number, output: string): Graph {
  const halves = Array.from({ length: side }, (_, x) => (x * 2 < side ? [2 / side, 0, 0] : [0, 2 / side, 0]))
  return {
    inputs: { pixel_values: { shape: ['batch', 3, side, side], type: 'float' } },
    outputs: { [output]: { shape: ['batch', 3], type: 'float' } },
    weights: {
      axes: { shape: [2], values: [1, 2], type: 'int64' },
      halves: { shape: [side, 3], values: halves.flat() },
      constant: { shape: [3], values: [0, 0, constant] },
    },
    nodes: [
      node('ReduceMean', ['pixel_values', 'axes'], 'columns', { keepdims: 0 }),
      node('MatMul', ['columns', 'halves'], 'sides'),
      node('Add', ['sides', 'constant'], output),
    ],
  }
}
