import { Worker } from 'node:worker_threads'
import { createWorkerPool, type Ending, WorkerHost } from '../../async/worker-host.ts'
import type { Picture } from '../../ports/models/media-models.ts'
import type { DecodeCalls, Decoded, Fit } from './pixels.ts'

/** Without pictures for this time, what decodes them gives its memory back. */
export const pictureIdleMs = 600_000
/** A decoder keeps the memory of its largest picture, so after a picture of more bytes than this it ends at once. */
const largePicture = 8 * 2 ** 20
/** A larger file is not read: decoding holds it several times. Bytes. */
const maxFile = 128 * 2 ** 20
/** The largest picture takes some seconds. One that takes this long is made to. */
const decodeMs = 120_000

class LateError extends Error {}

const lateOnly = (error: unknown): Decoded => {
  if (error instanceof LateError) return { problem: 'time' }
  throw error
}

export interface Decoder {
  /** Throws while what decodes is missing, and the reason of the signal. */
  decode(picture: Picture, fit: Fit, stop?: AbortSignal): Promise<Decoded>
  close(reason: Error): Promise<void>
}

/** Decodes one picture at a time, in a thread that starts with the first. */
export function createDecoder(failureOf: (ending: Ending) => Error): Decoder {
  const pool = createWorkerPool({
    max: 1,
    idleMs: pictureIdleMs,
    start: () => new WorkerHost<DecodeCalls>(new Worker(new URL('./decode-thread.ts', import.meta.url)), { failureOf }),
  })
  return {
    decode: async ({ mime, bytes }, fit, stop) => {
      if (bytes.length > maxFile) return { problem: 'size' }
      return pool.use(async (thread) => {
        const timer = setTimeout(() => void thread.end(new LateError()), decodeMs)
        const decoded = await thread
          .call('decode', { mime, bytes, fit })
          .catch(lateOnly)
          .finally(() => clearTimeout(timer))
        if ('problem' in decoded || bytes.length + decoded.data.length > largePicture) await thread.end()
        return decoded
      }, stop)
    },
    close: (reason) => pool.close(reason),
  }
}
