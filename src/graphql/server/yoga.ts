import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Log } from '../../model/log.ts'
import type { RequestFacts, RequestNotes } from '../../model/request-facts.ts'
import { createPlayground } from '../playground/playground.ts'
import { limitCost } from './cost-limit.ts'
import { maskError } from './errors.ts'
import { defaultLimits, type GraphqlLimits, limitErrors } from './limits.ts'
import { longResults, withSlicedJson } from './long-json.ts'
import { checkRequest } from './request-checks.ts'
import { rootFields } from './selected-fields.ts'

export interface GraphqlFetchOptions<Context extends object> {
  schema: GraphQLSchema
  /** Finds out who is calling; a ServiceError becomes an answer with its HTTP status. */
  context(facts: RequestFacts): Promise<Context>
  log: Pick<Log, 'error'>
  limits?: GraphqlLimits
  /** The maximum estimated cost of one operation; see `costOf`. */
  maxCost: number
  /** Serve GraphiQL to browsers. */
  playground?: boolean
}

/**
 * The `/graphql` endpoint as a fetch function. Throws a ServiceError for a request that it cannot accept. The HTTP
 * layer handles origins, cookies and body sizes.
 */
export function createGraphqlFetch<Context extends object>(options: GraphqlFetchOptions<Context>) {
  const { schema, context, log, maxCost, limits = defaultLimits, playground = false } = options
  const render = createPlayground()
  const yoga = createYoga<Noted, object>({
    schema,
    graphqlEndpoint: '/graphql',
    cors: false,
    batching: false,
    multipart: false,
    landingPage: false,
    graphiql: false,
    logging: false,
    // The HTTP layer limits bodies, and allows larger uploads than Yoga's default.
    maxRequestBodySize: false,
    context: ({ request, record }) => context(factsOf(request, record)),
    // Masked below, where the request and its id are known.
    maskedErrors: false,
    plugins: [limiting(limits), noting, masking(log), limitCost(maxCost), longResults()],
  })
  return async (request: Request, { record }: Noted): Promise<Response> => {
    record.fields = []
    if (playground && wantsPage(request)) return render(request)
    checkRequest(request)
    return yoga.fetch(request.method === 'POST' ? withSlicedJson(request) : request, { record })
  }
}

/** What the HTTP layer passes in addition to a request. */
interface Noted {
  record: RequestNotes
}

function factsOf(request: Request, record: RequestNotes): RequestFacts {
  const headers = Object.fromEntries(request.headers)
  return { headers, query: new URL(request.url).searchParams, requestId: headers['x-request-id'] ?? '', record }
}

/** Records the operation. The document is valid by then, so the names are those of the schema. */
const noting: Plugin<Noted> = {
  onExecute({ args: { document, operationName, contextValue } }) {
    contextValue.record.fields = rootFields(document, operationName)
  },
  onSubscribe({ args: { document, operationName, contextValue } }) {
    contextValue.record.fields = rootFields(document, operationName)
  },
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
    // The parser is recursive: a few thousand brackets exhaust the stack.
    throw error instanceof RangeError ? new GraphQLError('Syntax Error: The document is nested too deeply.') : error
  }
}

function masking(log: Pick<Log, 'error'>): Plugin<object, Noted> {
  const masked = (errors: readonly GraphQLError[], requestId: string | null) => {
    const report = (err: unknown) => log.error({ err, request_id: requestId }, 'a GraphQL operation failed')
    return errors.map((error) => maskError(error, report))
  }
  return {
    onSubscribe({ args: { contextValue } }) {
      const requestId = (contextValue as { request: Request }).request.headers.get('x-request-id')
      return {
        onSubscribeResult: () => ({
          onNext: ({ result, setResult }) => {
            if ('errors' in result && result.errors) setResult({ ...result, errors: masked(result.errors, requestId) })
          },
        }),
      }
    },
    onResultProcess({ request, result, setResult, serverContext: { record } }) {
      if (!('errors' in result) || result.errors === undefined) return
      const errors = masked(result.errors, request.headers.get('x-request-id'))
      record.error = `${errors[0]?.extensions.code}`
      setResult({ ...result, errors })
    },
  }
}

function wantsPage(request: Request): boolean {
  const asksForHtml = request.headers.get('accept')?.includes('text/html') ?? false
  return request.method === 'GET' && asksForHtml && !new URL(request.url).searchParams.has('query')
}
