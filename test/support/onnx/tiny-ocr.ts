import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Graph, onnxFile } from '../../../src/adapters/model-store/onnx-file.ts'

const image = { shape: ['n', 3, 'h', 'w'], type: 'float' } as const

/** A pixel belongs to text as it is dark: a black bar is a line. */
const detector: Graph = {
  inputs: { x: image },
  outputs: { map: { shape: ['n', 1, 'h', 'w'], type: 'float' } },
  weights: {
    scale: { shape: [1], values: [-0.5] },
    half: { shape: [1], values: [0.5] },
    colours: { shape: [1], values: [1], type: 'int64' },
  },
  nodes: [
    { op: 'ReduceMean', inputs: ['x', 'colours'], output: 'mean', ints: { keepdims: 1 } },
    { op: 'Mul', inputs: ['mean', 'scale'], output: 'scaled' },
    { op: 'Add', inputs: ['scaled', 'half'], output: 'map' },
  ],
}

/** Reads the same text in every line. No two neighbours of it may be equal. */
function recogniser(text: string, characters: readonly string[]): Graph {
  const classes = characters.length + 2
  const values = Array.from(text, (letter) => {
    const row = Array<number>(classes).fill(0)
    row[letter === ' ' ? classes - 1 : characters.indexOf(letter) + 1] = 0.95
    return row
  })
  const shape = [1, values.length, classes]
  return {
    inputs: { x: image },
    outputs: { y: { shape, type: 'float' } },
    weights: { scores: { shape, values: values.flat() } },
    nodes: [{ op: 'Identity', inputs: ['scores'], output: 'y' }],
  }
}

/** Writes `<models>/ocr`, which finds black bars and reads `text` in each. */
export function writeTinyOcr(models: string, text: string): void {
  const characters = [...new Set(text.replaceAll(' ', ''))]
  const files = {
    'det.onnx': onnxFile(detector),
    'rec.onnx': onnxFile(recogniser(text, characters)),
    'dict.txt': Buffer.from(`${characters.join('\n')}\n`),
  }
  mkdirSync(join(models, 'ocr'), { recursive: true })
  const hashes = Object.entries(files).map(([name, bytes]) => {
    writeFileSync(join(models, 'ocr', name), bytes)
    return [name, createHash('sha256').update(bytes).digest('hex')]
  })
  const about = { name: 'tiny', kind: 'ocr', licence: 'none', origin: 'a test', files: Object.fromEntries(hashes) }
  writeFileSync(join(models, 'ocr/model.json'), JSON.stringify(about))
}
