import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Calls } from '../../async/calls.ts'
import { unlessAborted } from '../../async/deadline.ts'
import { createWorkerPool, type Ending, WorkerHost } from '../../async/worker-host.ts'
import type { Picture, ReadText } from '../../ports/models/media-models.ts'
import type { DecodeCalls, ReadCalls } from './messages.ts'
import { type LayOut, pictureText } from './place-lines.ts'

/** The model needs some hundred megabytes of memory. Without pictures for this time, it gives them back. */
const idleMs = 600_000
/** A decoder keeps the memory of its largest picture, so after a picture of more bytes than this it ends at once. */
const largePicture = 8 * 2 ** 20
/** A larger file is not read: decoding holds it several times. Bytes. */
const maxFile = 128 * 2 ** 20

/** Searches go on meanwhile: half of the cores, and not more than help. */
const threads = Math.max(1, Math.min(4, availableParallelism() >> 1))

/** The largest picture takes some seconds. One that takes this long is made to. */
const decodeMs = 120_000

class LateError extends Error {}

const lateOnly = (error: unknown) => {
  if (error instanceof LateError) return { problem: 'The picture takes too long to decode: its text was not read.' }
  throw error
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
  const decoders = createWorkerPool({
    max: 1,
    idleMs,
    start: () => hostOf<DecodeCalls>(new URL('./decode-thread.ts', import.meta.url)),
  })
  const readers = createWorkerPool({
    max: 1,
    idleMs,
    start: () => hostOf<ReadCalls>(new URL('./read-thread.ts', import.meta.url)),
  })
  const pixelsOf = ({ mime, bytes }: Picture, stop: AbortSignal) =>
    decoders.use(async (thread) => {
      const timer = setTimeout(() => void thread.end(new LateError()), decodeMs)
      const decoded = await thread
        .call('decode', { mime, bytes })
        .catch(lateOnly)
        .finally(() => clearTimeout(timer))
      if ('problem' in decoded || bytes.length + decoded.data.length > largePicture) await thread.end()
      return decoded
    }, stop)
  const read: ReadText = async (picture, stop) => {
    if (picture.bytes.length > maxFile) return unreadable('The picture is too large for its text to be read.')
    const pixels = await pixelsOf(picture, stop)
    if ('problem' in pixels) return unreadable(pixels.problem)
    const ask = { directory, pixels, threads }
    const page = await readers.use((thread) => thread.call('read', ask, [pixels.data.buffer as ArrayBuffer]), stop)
    if ('problem' in page) throw new LocalReaderError(page.problem)
    return pictureText(page, layOut)
  }
  return {
    // A picture that is being read when the service stops is not waited for.
    read: (picture, stop) => unlessAborted(read(picture, stop), stop),
    close: async () => {
      const reason = new LocalReaderError('the service stops')
      await Promise.all([decoders.close(reason), readers.close(reason)])
    },
  }
}

const unreadable = (problem: string) => ({ text: '', lines: [], problem })

const failureOf = ({ error }: Ending) => error ?? new LocalReaderError('the thread that reads pictures ended')

const hostOf = <C extends Calls<C>>(file: URL) => new WorkerHost<C>(new Worker(file), { failureOf })
