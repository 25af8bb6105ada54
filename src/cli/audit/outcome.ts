/** What the commands exit with. Only 0 means that a log was found intact. */
export const exitCodes = { intact: 0, broken: 1, unchecked: 2 } as const

/** How a command ended, and what it has to say: on standard error unless the code is 0. */
export interface Outcome {
  code: number
  text: string
}

/** Why a command could not do what it was asked for, in a sentence for the terminal. */
export class UncheckedError extends Error {}
