import type { DocumentRecord } from '../../../model/document.ts'

/** The models still fail: nothing is written, and they are called again at `dueAt`, epoch milliseconds. */
export class TextPendingError extends Error {
  override readonly name = 'TextPendingError'
  readonly dueAt: number

  constructor(dueAt: number) {
    super('the models have not answered')
    this.dueAt = dueAt
  }
}

const minPauseMs = 5_000
const maxPauseMs = 3_600_000

/** How long to wait before models are called again: as long as the Units have been without their text. */
export const textPause = ({ found, status }: DocumentRecord, now: number): number =>
  Math.min(maxPauseMs, Math.max(minPauseMs, status === 'ready' && found ? now - found.at : 0))
