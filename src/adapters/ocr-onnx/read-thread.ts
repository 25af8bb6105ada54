import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession } from 'onnxruntime-node'
import { z } from 'zod'
import { answerCalls } from '../../async/calls.ts'
import { parseJson } from '../../model/json.ts'
import type { Pixels } from '../local-models/pixels.ts'
import { checkedBytes, modelThreads } from '../local-models/runtime.ts'
import { detectionSize, detectorInput, linesOf } from './find-lines.ts'
import { isUpended, type Rect, turnedRect } from './geometry.ts'
import type { ReadCalls, ReadPage } from './messages.ts'
import { lineHeight, type Recognised, recogniserInput, textIn } from './read-lines.ts'

// The thread that reads pictures: the runtime computes on the thread that calls it.

interface Model {
  ort: typeof import('onnxruntime-node')
  detector: InferenceSession
  recogniser: InferenceSession
  characters: readonly string[]
}

let model: Promise<Model> | null = null

async function load(directory: string): Promise<Model> {
  const ort = await importOrt()
  const { detector, recogniser, characters } = await readOcrFiles(directory)
  const options: InferenceSession.SessionOptions = {
    intraOpNumThreads: modelThreads,
    interOpNumThreads: 1,
    // An arena keeps the most that any picture needed.
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  }
  const create = (bytes: Uint8Array) => ort.InferenceSession.create(bytes, options)
  return { ort, detector: await create(detector), recogniser: await create(recogniser), characters }
}

/** Below this mean probability of its characters, a line is not text. */
const minScore = 0.5

/** This number of lines says which way up a picture is. The other way is not tried if they are read with certainty. */
const probes = 5
const certain = 0.9

async function read(model: Model, picture: Pixels): Promise<ReadPage> {
  const rects = await find(model, picture)
  const { turns, lines: probed } = await upright(model, picture, rects)
  const pixels = turned(picture, turns)
  const lines: ReadPage['lines'] = []
  for (const found of rects) {
    const rect = turnedRect(found, turns, picture)
    const { text, score } = probed.get(found) ?? (await recognise(model, pixels, rect, isUpended(rect) ? 1 : 0))
    if (text !== '' && score >= minScore) lines.push({ text, rect })
  }
  return { lines, width: pixels.width, height: pixels.height, turns }
}

async function find({ ort, detector }: Model, pixels: Pixels): Promise<Rect[]> {
  const { width, height } = detectionSize(pixels)
  const data = await run(ort, detector, detectorInput(pixels, { width, height }), [1, 3, height, width])
  const [x, y] = [pixels.width / width, pixels.height / height]
  return linesOf(data.data, width, height).map((rect) => ({
    ...rect,
    // The map counts from the middle of its pixels.
    x: (rect.x + 0.5) * x,
    y: (rect.y + 0.5) * y,
    width: rect.width * x,
    height: rect.height * y,
  }))
}

/**
 * How many quarter turns to the left make the picture upright: as its longest lines are read with most certainty. `lines`
 * are those, as they are read then.
 */
async function upright(model: Model, pixels: Pixels, rects: readonly Rect[]) {
  const length = ({ width, height }: Rect) => Math.max(width, height)
  const total = (some: readonly Rect[]) => some.reduce((sum, rect) => sum + length(rect), 0)
  const isAcross = total(rects.filter(isUpended)) * 2 <= total(rects)
  const longest = rects
    .filter((rect) => isUpended(rect) !== isAcross)
    .sort((a, b) => length(b) - length(a))
    .slice(0, probes)
  const readAt = async (turns: number) => {
    const lines = new Map<Rect, Recognised>()
    for (const rect of longest) lines.set(rect, await recognise(model, pixels, rect, turns))
    const certainty = [...lines.values()].reduce((sum, { score }) => sum + score, 0)
    return { turns, lines, certainty }
  }
  const [usual, other] = isAcross ? ([0, 2] as const) : ([1, 3] as const)
  const first = await readAt(usual)
  if (first.certainty >= certain * longest.length) return first
  const second = await readAt(other)
  return second.certainty > first.certainty ? second : first
}

async function recognise(
  { ort, recogniser, characters }: Model,
  pixels: Pixels,
  rect: Rect,
  turns: number,
): Promise<Recognised> {
  const { data, width } = recogniserInput(pixels, rect, turns)
  const output = await run(ort, recogniser, data, [1, 3, lineHeight, width])
  const [, steps = 0, classes = 0] = output.dims
  return textIn(output.data, steps, classes, characters)
}

async function run(
  { Tensor }: Model['ort'],
  session: InferenceSession,
  numbers: Float32Array,
  shape: readonly number[],
) {
  const [input = ''] = session.inputNames
  const [output = ''] = session.outputNames
  const { data, dims } = (await session.run({ [input]: new Tensor('float32', numbers, shape) }))[output] ?? {}
  if (!(data instanceof Float32Array) || dims === undefined) throw new Error('the model has no output of numbers')
  return { data, dims }
}

/** The picture after quarter turns to the left. */
function turned(picture: Pixels, turns: number): Pixels {
  if (turns === 0) return picture
  const { width, height, data } = picture
  const turnedOnce = { width: height, height: width, data: new Uint8Array(data.length) }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [from, to] = [(y * width + x) * 3, ((width - 1 - x) * height + y) * 3]
      for (let plane = 0; plane < 3; plane++) turnedOnce.data[to + plane] = data[from + plane] ?? 0
    }
  }
  return turned(turnedOnce, turns - 1)
}

answerCalls<ReadCalls>({
  read: async ({ directory, pixels }) => {
    model ??= load(directory)
    const loaded = await model.catch((error: unknown) => String(error instanceof Error ? error.message : error))
    if (typeof loaded !== 'string') return read(loaded, pixels)
    model = null
    return { problem: loaded }
  },
})

async function importOrt() {
  try {
    return await import('onnxruntime-node')
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new Error(`text in pictures needs the package onnxruntime-node, which cannot be loaded (${reason})`)
  }
}

const manifest = z.object({ kind: z.literal('ocr'), files: z.record(z.string(), z.string()) })

interface OcrFiles {
  detector: Uint8Array
  recogniser: Uint8Array
  /** As the recogniser counts them, without blank and space. */
  characters: string[]
}

/** The files of a model of kind `ocr`. Throws a sentence for operators where one is missing or not what model.json says. */
async function readOcrFiles(directory: string): Promise<OcrFiles> {
  const about = await readFile(join(directory, 'model.json'), 'utf8').catch(() => '')
  const { success, data } = manifest.safeParse(parseJson(about))
  if (!success) throw new Error(`the model in ${directory} has no model.json that describes a model of kind ocr`)
  const checked = (name: string) =>
    checkedBytes(directory, name, data.files[name] ?? '').catch((error: Error) => {
      throw new Error(`the model in ${directory} cannot be used: ${error.message}`)
    })
  const [detector, recogniser] = [await checked('det.onnx'), await checked('rec.onnx')]
  const characters = (await checked('dict.txt'))
    .toString()
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
  return { detector, recogniser, characters }
}
