import type { TierName } from './tiers.ts'

/** A problem that prevents a start or a command, and that an operator can fix: the message says how. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** What the operator's commands ask of a service, or of its data while it is stopped. Without `tier`, it is only read. */
export type OperatorRequest =
  | { kind: 'tier'; namespace: string; tier?: TierName | undefined }
  | { kind: 'admin'; email: string; namespace: string }

/** The service, or its data, was reached but does not allow it: nothing was changed. `code` is the service's, if it gave one. */
export class RefusedError extends OperatorError {
  override readonly name = 'RefusedError'
  readonly code: string

  constructor(message: string, code = 'unknown') {
    super(message)
    this.code = code
  }
}
