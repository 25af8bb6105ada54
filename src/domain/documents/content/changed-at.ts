import type { DocumentRecord } from '../../../model/document.ts'

/** When a document changes: later than all changes before, so that the latest is known where a clock is behind. */
export const changedAt = (before: Pick<DocumentRecord, 'updatedAt'> | undefined, now: number): number =>
  Math.max(now, (before?.updatedAt ?? 0) + 1)
