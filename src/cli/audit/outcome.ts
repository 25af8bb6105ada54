/** What the commands exit with. Only 0 means that a log was found intact. */
export const exitCodes = { intact: 0, broken: 1, unchecked: 2 } as const

/** How a command ended, and what it has to say: on standard error unless the code is 0. */
export interface Outcome {
  code: number
  text: string
}

/** Why a command could not do what it was asked for, in a sentence for the terminal. */
export class Unchecked extends Error {}

/** The message of whatever was thrown, as the reason of an `Unchecked`. What `fetch` throws says it in its cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
