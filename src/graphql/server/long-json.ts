import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { badRequest, renderPath } from '../../errors.ts'
import { JsonTooLargeError, parseJsonInSlices } from '../../slices/parse-json.ts'
import { isLongJson, stringifyInSlices } from '../../slices/stringify-json.ts'

/** The engine reads a body with its request's `json`: this one parses in slices. */
export function withSlicedJson(request: Request): Request {
  const json = async (): Promise<unknown> => {
    const bytes = new Uint8Array(await request.arrayBuffer())
    return parseJsonInSlices(bytes).catch((error: unknown) => {
      if (!(error instanceof JsonTooLargeError)) throw error
      const originalError = badRequest(`${renderPath(error.path)}: ${error.message}`)
      throw new GraphQLError(originalError.detail, { originalError })
    })
  }
  return Object.defineProperty(request, 'json', { value: json })
}

/** Writes long results in slices while they are sent; the engine would write them in one step. */
export function longResults(): Plugin {
  const long = new WeakMap<Request, object>()
  return {
    onResultProcess({ request, result, setResult }) {
      if (!('data' in result) || !isLongJson(result.data)) return
      long.set(request, result)
      // Only the status and headers of this call's answer are used.
      setResult({ ...result, stringify: () => '' })
    },
    onResponse({ request, response, setResponse }) {
      const result = long.get(request)
      if (result === undefined) return
      const headers = new Headers(response.headers)
      headers.delete('content-length')
      setResponse(new Response(streamOf(stringifyInSlices(result)), { status: response.status, headers }))
    },
  }
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(Buffer.from(value))
    },
    cancel: async () => {
      await texts.return(undefined)
    },
  })
}
