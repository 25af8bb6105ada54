import { createLimiter, type Limiter } from '../../../async/limiter.ts'
import type { MediaModels } from '../../../ports/models/media-models.ts'
import { systemTiming, type Timing } from '../../resilience/retries.ts'
import { createGuard } from '../guard/guard.ts'
import type { ChatModel } from '../models/remote-config.ts'
import type { MediaConfig } from './media-config.ts'
import { createPictureReader } from './read-picture.ts'
import { createTranscriber } from './transcribe.ts'

/** Nobody waits for these: they may take as long as `fetch` waits for an answer, 5 minutes. */
const timeoutMs = 290_000

/** The configured models that read pictures and recordings. Makes no requests yet. */
export function createMediaModels(
  { ocr, caption, transcribe }: MediaConfig,
  { concurrency, timing = systemTiming }: { concurrency: number; timing?: Timing },
): MediaModels {
  const limiters = new Map<string, Limiter>()
  const guardOf = ({ model, endpoint: { baseUrl } }: ChatModel, task: string) => {
    const limiter = limiters.get(baseUrl) ?? createLimiter({ max: concurrency })
    limiters.set(baseUrl, limiter)
    return createGuard({ name: `${model} (${task})`, timeoutMs, limiter, timing })
  }
  return {
    ocr: ocr && createPictureReader('ocr', ocr, guardOf(ocr, 'text in pictures')),
    caption: caption && createPictureReader('caption', caption, guardOf(caption, 'captions')),
    transcribe: transcribe && createTranscriber(transcribe, guardOf(transcribe, 'transcription')),
  }
}
