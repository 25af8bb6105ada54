import { join } from 'node:path'
import { z } from 'zod'
import type { OnnxModel } from '../adapters/inference-onnx/onnx-config.ts'

/** Where local models are. */
export const onnxSettings = {
  MODELS_DIR: z
    .string()
    .optional()
    .describe('Directory of local models for the provider onnx. The name of a model is its path below this directory'),
}

/** `e5-small`, `Xenova/bge-m3`: no name may lead out of the directory. */
const names = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*(?:\/[\p{L}\p{N}_][\p{L}\p{N}._-]*)*$/u

/** Reports settings that contradict each other in `problems`. */
export function onnxModel(
  { MODELS_DIR: directory }: z.infer<z.ZodObject<typeof onnxSettings>>,
  { name: setting, model }: { name: string; model: string },
  problems: string[],
): OnnxModel | null {
  if (!names.test(model)) problems.push(`${setting}: must be the name of a directory in MODELS_DIR`)
  if (directory === undefined) problems.push(`MODELS_DIR: is needed with ${setting}`)
  if (directory === undefined || !names.test(model)) return null
  return { kind: 'onnx', model, directory: join(directory, model), setting }
}
