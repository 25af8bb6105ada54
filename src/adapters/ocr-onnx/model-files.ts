import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const manifest = z.object({ kind: z.literal('ocr'), files: z.record(z.string(), z.string()) })

export interface OcrFiles {
  detector: Uint8Array
  recogniser: Uint8Array
  /** As the recogniser counts them, without blank and space. */
  characters: string[]
}

/** The files of a model of kind `ocr`. Throws a sentence for operators where one is missing or not what model.json says. */
export async function readOcrFiles(directory: string): Promise<OcrFiles> {
  const { success, data } = manifest.safeParse(parsed((await read(directory, 'model.json')).toString()))
  if (!success) throw new Error(`the model in ${directory} has a model.json that does not describe a model of kind ocr`)
  const checked = async (name: string): Promise<Buffer> => {
    const bytes = await read(directory, name)
    if (createHash('sha256').update(bytes).digest('hex') !== data.files[name]?.toLowerCase())
      throw new Error(`the model in ${directory} has another file ${name} than its model.json names`)
    return bytes
  }
  const [detector, recogniser] = [await checked('det.onnx'), await checked('rec.onnx')]
  const characters = (await checked('dict.txt'))
    .toString()
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
  return { detector, recogniser, characters }
}

const read = (directory: string, name: string): Promise<Buffer> =>
  readFile(join(directory, name)).catch(() => {
    throw new Error(`the model in ${directory} has no file ${name} that can be read`)
  })

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
