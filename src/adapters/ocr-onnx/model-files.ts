import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { checkedBytes } from '../local-models/runtime.ts'

const manifest = z.object({ kind: z.literal('ocr'), files: z.record(z.string(), z.string()) })

export interface OcrFiles {
  detector: Uint8Array
  recogniser: Uint8Array
  /** As the recogniser counts them, without blank and space. */
  characters: string[]
}

/** The files of a model of kind `ocr`. Throws a sentence for operators where one is missing or not what model.json says. */
export async function readOcrFiles(directory: string): Promise<OcrFiles> {
  const about = await readFile(join(directory, 'model.json'), 'utf8').catch(() => '')
  const { success, data } = manifest.safeParse(parsed(about))
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

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
