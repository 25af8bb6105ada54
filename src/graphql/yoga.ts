import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Log } from '../ports/log.ts'
import type { RequestFacts } from './context.ts'
import { maskError } from './errors.ts'
import { defaultLimits, type GraphqlLimits, limitErrors } from './limits.ts'
import { createPlayground } from './playground.ts'

export interface GraphqlFetchOptions<Context extends object> {
  schema: GraphQLSchema
  /** Resolves who is calling; a ServiceError becomes an answer with its HTTP status. */
  context(facts: RequestFacts): Promise<Context>
  log: Pick<Log, 'error'>
  limits?: GraphqlLimits
  /** Serve GraphiQL to browsers. */
  playground?: boolean
}

/** The `/graphql` endpoint as a fetch function. Origins, cookies and body sizes are the HTTP layer's business. */
export function createGraphqlFetch<Context extends object>(options: GraphqlFetchOptions<Context>) {
  const { schema, context, log, limits = defaultLimits, playground = false } = options
  const render = createPlayground()
  const yoga = createYoga<object, object>({
    schema,
    graphqlEndpoint: '/graphql',
    cors: false,
    batching: false,
    multipart: false,
    landingPage: false,
    graphiql: false,
    logging: false,
    // The HTTP layer limits bodies, and lets uploads be larger than Yoga's default.
    maxRequestBodySize: false,
    context: ({ request }) => context(factsOf(request)),
    // Masked below, where the request and so its id is known.
    maskedErrors: false,
    plugins: [limiting(limits), masking(log)],
  })
  return async (request: Request): Promise<Response> => {
    if (playground && wantsPage(request)) return render()
    if (request.method === 'POST' && !isJson(request)) return unsupported()
    return yoga.fetch(request)
  }
}

function factsOf(request: Request): RequestFacts {
  const headers = Object.fromEntries(request.headers)
  return { headers, query: new URL(request.url).searchParams, requestId: headers['x-request-id'] ?? '' }
}

function limiting(limits: GraphqlLimits): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string) => parseWithin(source, limits.maxTokens))
    },
    onValidate({ setValidationFn }) {
      setValidationFn((...args: Parameters<typeof validate>) => {
        const broken = limitErrors(args[1], limits)
        return broken.length > 0 ? broken : validate(...args)
      })
    },
  }
}

function parseWithin(source: string, maxTokens: number): DocumentNode {
  try {
    return parse(source, { maxTokens })
  } catch (error) {
    // The parser recurses, and a few thousand brackets are enough to exhaust the stack.
    throw error instanceof RangeError ? new GraphQLError('Syntax Error: The document is nested too deeply.') : error
  }
}

function masking(log: Pick<Log, 'error'>): Plugin {
  return {
    onResultProcess({ request, result, setResult }) {
      if (!('errors' in result) || result.errors === undefined) return
      const requestId = request.headers.get('x-request-id')
      const report = (err: unknown) => log.error({ err, requestId }, 'a GraphQL operation failed')
      setResult({ ...result, errors: result.errors.map((error) => maskError(error, report)) })
    },
  }
}

function wantsPage(request: Request): boolean {
  const asksForHtml = request.headers.get('accept')?.includes('text/html') ?? false
  return request.method === 'GET' && asksForHtml && !new URL(request.url).searchParams.has('query')
}

/** Forms and plain text are what a foreign page can post without asking first. */
function isJson(request: Request): boolean {
  const type = request.headers.get('content-type')?.split(';')[0]
  return type?.trim().toLowerCase() === 'application/json'
}

function unsupported(): Response {
  const error = {
    message: 'the content type must be application/json',
    extensions: { code: 'bad_request', status: 415 },
  }
  return Response.json({ errors: [error] }, { status: 415 })
}
