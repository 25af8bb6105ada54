import type { GraphQLError } from 'graphql'
import type { Result } from './until-ended.ts'

/**
 * Server-sent events: `next` with each result, then `complete`, and a comment every `commentMs`, so that no proxy takes
 * the connection for a dead one. A reader that leaves an event unread while two comments are due is cut off.
 */
export function eventStream(results: AsyncIterable<Result>, commentMs: number): Response {
  const source = results[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let unread = 0
  let timer: NodeJS.Timeout | undefined

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Some browsers wait for the first byte.
      controller.enqueue(encoder.encode(comment))
      timer = setInterval(() => {
        const isRead = (controller.desiredSize ?? 0) > 0
        unread = isRead ? 0 : unread + 1
        if (isRead) controller.enqueue(encoder.encode(comment))
        if (unread < 2) return
        clearInterval(timer)
        void source.return?.()
        controller.error(new Error('the reader of a subscription stopped reading'))
      }, commentMs)
    },
    async pull(controller) {
      const { done, value } = await source.next()
      if (done) {
        clearInterval(timer)
        controller.enqueue(encoder.encode('event: complete\ndata:\n\n'))
        controller.close()
      } else controller.enqueue(encoder.encode(`event: next\ndata: ${textOf(value)}\n\n`))
    },
    async cancel() {
      clearInterval(timer)
      await source.return?.()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const comment = ':\n\n'

function textOf({ errors, ...rest }: Result): string {
  return JSON.stringify(errors ? { errors: errors.map(shown), ...rest } : rest)
}

/** An error without what the engine reads of it: the status and headers of an answer. */
function shown(error: GraphQLError) {
  const { http: _, ...extensions } = error.extensions
  return { ...error.toJSON(), extensions }
}
