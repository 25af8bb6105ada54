import type { Cue } from '../../../model/speech/cue.ts'
import type { Picture, ReadPicture, Recording, Transcribe } from '../../../ports/models/media-models.ts'
import type { Bindings } from '../../bindings/bindings.ts'

/** Calls models for one document. One that has failed is not called again for it. */
export interface ModelCalls {
  /** Empty without a model, and where it fails. */
  read(model: ReadPicture | null, picture: Picture): Promise<string>
  hear(model: Transcribe | null, recording: Recording): Promise<Cue[]>
  anyFailed(): boolean
}

/** Throws only the reason of `stop`. */
export function createModelCalls({ log }: Pick<Bindings, 'log'>, documentId: string, stop: AbortSignal): ModelCalls {
  const failed = new Set<unknown>()
  const call = async <T>(model: unknown, ask: () => Promise<T>, otherwise: T): Promise<T> => {
    if (failed.has(model)) return otherwise
    try {
      return await ask()
    } catch (error) {
      stop.throwIfAborted()
      if (!failed.has(model)) log.warn({ err: error, documentId }, 'a model failed; the text will follow')
      failed.add(model)
      return otherwise
    }
  }
  return {
    read: async (model, picture) => (model ? call(model, () => model(picture, stop), '') : ''),
    hear: async (model, recording) => (model ? call<Cue[]>(model, () => model(recording, stop), []) : []),
    anyFailed: () => failed.size > 0,
  }
}
