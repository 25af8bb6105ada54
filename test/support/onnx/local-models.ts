import { createOnnxModels } from '../../../src/adapters/inference-onnx/onnx-models.ts'
import { builtinModels, inferenceOf } from '../models/remote-models.ts'
import { tinyEmbedder, tinyJudge, tinyReranker, writeTinyModel } from './tiny-models.ts'

export type LocalModels = Awaited<ReturnType<typeof createOnnxModels>>

/** Writes a tiny model for each task, and returns the settings that select them. */
export function tinySettings(directory: string): Record<string, string> {
  writeTinyModel(directory, 'embed', tinyEmbedder())
  writeTinyModel(directory, 'rerank', tinyReranker())
  writeTinyModel(directory, 'org/nli', tinyJudge())
  return {
    INFERENCE: 'onnx',
    MODELS_DIR: directory,
    EMBED_MODEL: 'embed',
    RERANK_MODEL: 'rerank',
    NLI_MODEL: 'org/nli',
    // Other tests run at the same time.
    INFERENCE_TIMEOUT_MS: '60000',
  }
}

export const localModels = (settings: Record<string, string>): Promise<LocalModels> =>
  createOnnxModels(inferenceOf(settings), builtinModels())
