import { Worker } from 'node:worker_threads'
import { unlessAborted } from '../../async/limits.ts'
import { createWorkerPool, type Ending, WorkerHost } from '../../async/worker-host.ts'
import type { ReadText } from '../../ports/models/media-models.ts'
import { createDecoder, pictureIdleMs } from '../local-models/decoder.ts'
import type { Decoded } from '../local-models/pixels.ts'
import type { ReadCalls } from './messages.ts'
import { type LayOut, pictureText } from './place-lines.ts'

/** Letters that can be read at all are large enough then. Pixels. */
const fit = { maxSide: 3_000 }

/** Sentences for the document. */
const problems: Readonly<Record<Extract<Decoded, { problem: string }>['problem'], string>> = {
  type: 'Text in pictures of this type is not read.',
  size: 'The picture is too large for its text to be read.',
  damage: 'The picture is damaged: its text could not be read.',
  time: 'The picture takes too long to decode: its text was not read.',
}

/** Text in pictures could not be read on this machine. */
class LocalReaderError extends Error {
  override readonly name = 'LocalReaderError'
}

export interface LocalReader {
  read: ReadText
  close(): Promise<void>
}

interface Options {
  /** Has model.json, det.onnx, rec.onnx and dict.txt. */
  directory: string
  layOut: LayOut
}

/**
 * Reads the text in pictures with PP-OCR (a detector of lines and a recogniser), one picture at a time, in threads that
 * start with the first picture. `read` throws LocalReaderError while the model or the runtime is missing.
 */
export function createLocalReader({ directory, layOut }: Options): LocalReader {
  const decoder = createDecoder(failureOf)
  const readers = createWorkerPool({
    max: 1,
    // The model needs some hundred megabytes of memory.
    idleMs: pictureIdleMs,
    start: () => new WorkerHost<ReadCalls>(new Worker(new URL('./read-thread.ts', import.meta.url)), { failureOf }),
  })
  const read: ReadText = async (picture, stop) => {
    const pixels = await decoder.decode(picture, fit, stop)
    if ('problem' in pixels) return { text: '', lines: [], problem: problems[pixels.problem] }
    const ask = { directory, pixels }
    const page = await readers.use((thread) => thread.call('read', ask, [pixels.data.buffer as ArrayBuffer]), stop)
    if ('problem' in page) throw new LocalReaderError(page.problem)
    return pictureText(page, layOut)
  }
  return {
    // A picture that is being read when the service stops is not waited for.
    read: (picture, stop) => unlessAborted(read(picture, stop), stop),
    close: async () => {
      const reason = new LocalReaderError('the service stops')
      await Promise.all([decoder.close(reason), readers.close(reason)])
    },
  }
}

const failureOf = ({ error }: Ending) => error ?? new LocalReaderError('the thread that reads pictures ended')
