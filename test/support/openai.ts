import { APIError } from 'openai'

/** What the service adds to OpenAI's requests and answers is not in the client's types. */
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
export const wide = (value: unknown): any => value

/** The error of a call; fails where it is not refused. */
export const refusalOf = async (call: PromiseLike<unknown>): Promise<APIError> => {
  const error = await Promise.resolve(call).then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof APIError)) throw new Error(`not refused: ${error}`)
  return error
}

/** The default of the client is to look every five seconds whether a file is ready. */
export const soon = { pollIntervalMs: 50 }
