import { type HttpResponse, privateHeaders } from './message.ts'

/** One server-sent event. */
export const toEvent = (name: string, data: unknown): string => `event: ${name}\n${toData(data)}`

/** One without a name. */
export const toData = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

/**
 * An answer of server-sent events. An error before the first one is thrown: it is an answer of its own. A later one is the
 * last event, as `lastOf` writes it.
 */
export async function eventStream(
  events: AsyncGenerator<string>,
  lastOf: (error: unknown) => string,
): Promise<HttpResponse> {
  const first = await events.next()
  async function* body(): AsyncGenerator<string> {
    try {
      if (!first.done) yield first.value
      yield* events
    } catch (error) {
      yield lastOf(error)
    } finally {
      await events.return(undefined)
    }
  }
  // A reader that leaves before the body begins would leave the events open.
  const pieces = body()
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', ...privateHeaders },
    body: {
      [Symbol.asyncIterator]: () => ({
        next: () => pieces.next(),
        return: async () => {
          await Promise.all([pieces.return(undefined), events.return(undefined)])
          return { done: true, value: undefined }
        },
      }),
    },
  }
}
