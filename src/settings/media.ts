import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import type { MediaConfig } from '../adapters/inference-remote/media-models.ts'
import { baseUrl, endpointOf, key, model, needless } from './model-endpoint.ts'

/** The models that read pictures and recordings. */
export const mediaSettings = {
  OCR_MODEL: model.describe(
    'Vision model that reads the text in pictures and in pages of a PDF without text, behind POST /chat/completions. Default: the local model in MODELS_DIR/ocr, as soon as there is one; off: none',
  ),
  OCR_BASE_URL: baseUrl.describe('Server of OCR_MODEL. Default: INFERENCE_BASE_URL'),
  OCR_API_KEY: key.describe('API key for OCR_BASE_URL'),
  CAPTION_MODEL: model.describe('Vision model that describes pictures, behind POST /chat/completions. Default: none'),
  CAPTION_BASE_URL: baseUrl.describe('Server of CAPTION_MODEL. Default: INFERENCE_BASE_URL'),
  CAPTION_API_KEY: key.describe('API key for CAPTION_BASE_URL'),
  TRANSCRIBE_MODEL: model.describe(
    'Model that transcribes sound and video, behind POST /audio/transcriptions. Default: none',
  ),
  TRANSCRIBE_BASE_URL: baseUrl.describe('Server of TRANSCRIBE_MODEL. Default: INFERENCE_BASE_URL'),
  TRANSCRIBE_API_KEY: key.describe('API key for TRANSCRIBE_BASE_URL'),
}

type Env = z.infer<z.ZodObject<typeof mediaSettings>> & {
  INFERENCE_BASE_URL?: string | undefined
  INFERENCE_API_KEY?: string | undefined
}

/** `OCR_MODEL=off`: not even the local model. */
const off = 'off'

/** A model on this machine that reads the text in pictures. */
export interface LocalOcr {
  kind: 'onnx'
  model: 'ocr'
  directory: string
}

/** The local model, where nothing else is named. It may be added, and removed, while the service runs. */
export const localOcr = ({ OCR_MODEL: named }: Env, models: string): LocalOcr | null =>
  named === undefined ? { kind: 'onnx', model: 'ocr', directory: join(models, 'ocr') } : null

export const isThere = ({ directory }: LocalOcr): boolean => existsSync(join(directory, 'model.json'))

const tasks = { ocr: 'OCR', caption: 'CAPTION', transcribe: 'TRANSCRIBE' } as const

/** Reports settings that contradict each other in `problems`. */
export function mediaConfig(env: Env, problems: string[]): MediaConfig {
  const of = (task: (typeof tasks)[keyof typeof tasks]) => {
    const name = env[`${task}_MODEL`]
    if (name === undefined || (task === tasks.ocr && name === off)) {
      needless(env, task, problems)
      return null
    }
    const endpoint = endpointOf(env, `${task}_MODEL`, task, problems)
    return endpoint && { kind: 'openai' as const, endpoint, model: name }
  }
  return { ocr: of(tasks.ocr), caption: of(tasks.caption), transcribe: of(tasks.transcribe) }
}
