import { InvalidInputError, ServiceError } from '../../errors.ts'
import type { DocumentReason, DocumentRecord } from '../../model/document.ts'
import { ParseError } from '../../ports/parser.ts'
import { PlaneDisabledError, TooManyUnitsError } from '../units/limits.ts'

/** Why a document cannot be taken in. `detail` is one sentence that the writer may see. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly reason: DocumentReason
  readonly detail: string

  constructor(reason: DocumentReason, detail: string) {
    super(`${reason}: ${detail}`)
    this.reason = reason
    this.detail = detail
  }
}

export interface Failure {
  reason: DocumentReason
  detail: string
  /** The cause may pass. */
  passing: boolean
}

const internalDetail = 'The service could not process the file.'

/** What the writer learns of an error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ParseError || error instanceof DocumentError) {
    const { reason, detail } = error
    return { reason, detail, passing: reason === 'internal' }
  }
  if (error instanceof PlaneDisabledError) return { reason: 'forbidden', detail: error.problem, passing: false }
  if (error instanceof TooManyUnitsError) return { reason: 'too_many_units', detail: error.problem, passing: false }
  if (error instanceof InvalidInputError) return { reason: 'malformed', detail: error.detail, passing: false }
  if (error instanceof ServiceError && error.status < 500) {
    return { reason: reasonOf(error), detail: error.detail, passing: false }
  }
  return { reason: 'internal', detail: internalDetail, passing: true }
}

function reasonOf({ code }: ServiceError): DocumentReason {
  if (code === 'upgrade_required' || code === 'quota_exceeded') return code
  return code === 'bad_request' ? 'malformed' : 'forbidden'
}

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
