/** Exit codes of the commands. Only 0 means that a log was found intact. */
export const exitCodes = { intact: 0, broken: 1, unchecked: 2 } as const

/** The result of a command and its output, which goes to standard error unless the code is 0. */
export interface Outcome {
  code: number
  text: string
}

/** Why a command could not finish its work, as a sentence for the terminal. */
export class UncheckedError extends Error {}
