import type { ChatModel } from '../models/remote-config.ts'

/** The models that read pictures and recordings; null where none is configured. */
export interface MediaConfig {
  ocr: ChatModel | null
  caption: ChatModel | null
  transcribe: ChatModel | null
}
