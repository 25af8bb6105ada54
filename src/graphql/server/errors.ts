import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { isLongJson, JsonTooLargeError, parseJsonInSlices, stringifyInSlices } from '../../async/json.ts'
import { badRequest, InvalidInputError, internalProblem, renderPath, rootCause, ServiceError } from '../../errors.ts'

/**
 * The part of a failure that a caller may see, with the code and status of the one error table. A ServiceError becomes
 * its detail. GraphQL's own errors about the request (syntax, validation, variables) keep their message. Anything else
 * is logged and masked. A failure before execution also sets the HTTP status; a resolver's failure is part of a 200.
 */
export function maskError(error: GraphQLError, onUnexpected: (cause: unknown) => void): GraphQLError {
  const cause = rootCause(error)
  if (cause instanceof ServiceError) {
    if (cause.status >= 500) onUnexpected(cause)
    return render(cause, error)
  }
  if (concernsRequest(error, cause)) return render(complaint(error), error)
  onUnexpected(cause)
  return render(new ServiceError('internal_error', internalProblem), error)
}

function render(failure: ServiceError, { nodes, source, positions, path, extensions }: GraphQLError): GraphQLError {
  const { detail, code, status, requiredTier, retryAfter } = failure
  const retry: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` }
  const place = nodes === undefined ? { source, positions } : { nodes }
  return new GraphQLError(detail, {
    ...place,
    ...(path === undefined ? {} : { path }),
    extensions: {
      code,
      status,
      ...(requiredTier === undefined ? {} : { required_tier: requiredTier }),
      ...(failure instanceof InvalidInputError && failure.field.length > 0 ? { field: failure.field } : {}),
      // The server reads this key and removes it.
      ...(path === undefined ? { http: { status, headers: { ...extensions.http?.headers, ...retry } } } : {}),
    },
  })
}

/**
 * Whether GraphQL itself refuses the request. An error with a path comes from execution. There only the values of
 * arguments are the caller's fault; anything else (a null in a non-null place) is a fault of the service. A scalar may
 * refuse a variable with any Error.
 */
function concernsRequest(error: GraphQLError, cause: Error): boolean {
  if (error.extensions.unexpected === true) return false
  if (error.path !== undefined) return error.message.startsWith('Argument "')
  return cause instanceof GraphQLError || error.message.startsWith('Variable "$')
}

/**
 * Whether GraphQL itself refuses the document or its variables. GraphQL over HTTP answers that with 200 to a caller who
 * accepts `application/json` alone.
 */
export function concernsDocument({ extensions, message, path }: GraphQLError): boolean {
  if (path !== undefined) return false
  const { code } = extensions
  return code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED' || message.startsWith('Variable "$')
}

function complaint({ message, extensions }: GraphQLError): ServiceError {
  const short = shorten(message)
  return extensions.http?.status === 405 ? new ServiceError('method_not_allowed', short) : badRequest(short)
}

/** Characters kept at each end of a long message. */
const kept = 300

/** GraphQL quotes the input, which may be megabytes, and only then says what is wrong with it. */
function shorten(message: string): string {
  if (message.length <= 2 * kept) return message
  return `${message.slice(0, kept).toWellFormed()} … ${message.slice(-kept).toWellFormed()}`
}

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
