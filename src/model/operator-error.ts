/** What keeps a process from starting or a command from its work, and an operator can put right: the message says how. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** The service, or its data, was reached and does not allow it: nothing was changed. */
export class RefusedError extends OperatorError {
  override readonly name = 'RefusedError'
}
