import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { badRequest, ServiceError } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import type { RequestFacts, RequestNotes } from '../../model/request.ts'
import { limitCost } from './cost.ts'
import {
  type DocumentRules,
  defaultLimits,
  type GraphqlLimits,
  idParameter,
  limitErrors,
  persistedDocuments,
  tooMuch,
} from './documents.ts'
import { concernsDocument, longResults, maskError, withSlicedJson } from './errors.ts'
import { defaultSubscriptionLimits, limitSubscriptions, type SubscriptionLimits } from './subscriptions.ts'
import { type Keyed, type WriteOf, writing } from './write.ts'

export interface GraphqlFetchOptions<Context extends object> {
  schema: GraphQLSchema
  /** Finds out who is calling; a ServiceError becomes an answer with its HTTP status. */
  context(facts: RequestFacts): Promise<Context>
  /** Null without a credential. */
  principalOf(context: Context): string | null
  log: Pick<Log, 'error'>
  limits?: GraphqlLimits
  /** The maximum estimated cost of one operation; see `costOf`. */
  maxCost: number
  documents: DocumentRules
  subscriptions?: SubscriptionLimits
  writeOf: WriteOf<Context>
}

/**
 * The `/graphql` endpoint as a fetch function. Throws a ServiceError for a request that it cannot accept. The HTTP
 * layer handles origins, cookies and body sizes.
 */
export function createGraphqlFetch<Context extends object>(options: GraphqlFetchOptions<Context>) {
  const { schema, context, principalOf, log, maxCost, documents, writeOf } = options
  const { limits = defaultLimits, subscriptions = defaultSubscriptionLimits } = options
  const identify = ({ request, record }: Noted & { request: Request }) => context(factsOf(request, record))
  const yoga = createYoga<Noted & Keyed, object>({
    schema,
    graphqlEndpoint: '/graphql',
    cors: false,
    batching: false,
    extraParamNames: [idParameter, 'after_seq'],
    multipart: false,
    landingPage: false,
    graphiql: false,
    logging: false,
    // The HTTP layer limits bodies, and allows larger uploads than Yoga's default.
    maxRequestBodySize: false,
    context: identify,
    // Masked below, where the request and its id are known.
    maskedErrors: false,
    plugins: [
      persistedDocuments(documents),
      limiting(limits),
      noting,
      masking(log),
      limitCost(maxCost),
      limitSubscriptions({ principalOf, identify, limits: subscriptions }),
      writing(writeOf),
      longResults(),
    ],
  })
  return async (request: Request, { record, sentKey }: Noted & Keyed): Promise<Response> => {
    record.fields = []
    checkRequest(request)
    return yoga.fetch(request.method === 'POST' ? withSlicedJson(request) : request, { record, sentKey })
  }
}

/** What the HTTP layer passes in addition to a request. */
interface Noted {
  record: RequestNotes
}

function factsOf(request: Request, record: RequestNotes): RequestFacts {
  const headers = Object.fromEntries(request.headers)
  return {
    headers,
    query: new URL(request.url).searchParams,
    requestId: headers['x-request-id'] ?? '',
    followsSeq: true,
    record,
  }
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
      setParseFn((source: string) => parseWithin(source, limits))
    },
    onValidate({ setValidationFn }) {
      setValidationFn((...args: Parameters<typeof validate>) => {
        const broken = limitErrors(args[1], limits)
        return broken.length > 0 ? broken : validate(...args)
      })
    },
  }
}

function parseWithin(source: string, { maxCharacters, maxTokens }: GraphqlLimits): DocumentNode {
  if (source.length > maxCharacters) throw tooMuch(`the query must have at most ${maxCharacters} characters`)
  try {
    return parse(source, { maxTokens })
  } catch (error) {
    // The parser is recursive: a few thousand brackets exhaust the stack.
    throw error instanceof RangeError ? new GraphQLError('Syntax Error: The document is nested too deeply.') : error
  }
}

function masking(log: Pick<Log, 'error'>): Plugin<object, Noted> {
  const masked = (errors: readonly GraphQLError[], requestId: string | null, { traceId }: Noted['record']) => {
    const ids = { request_id: requestId, ...(traceId === null ? {} : { trace_id: traceId }) }
    const report = (err: unknown) => log.error({ err, ...ids }, 'a GraphQL operation failed')
    return errors.map((error) => maskError(error, report))
  }
  return {
    onSubscribe({ args: { contextValue } }) {
      const { request, record } = contextValue as unknown as { request: Request } & Noted
      const requestId = request.headers.get('x-request-id')
      return {
        onSubscribeResult: () => ({
          onNext: ({ result, setResult }) => {
            if ('errors' in result && result.errors)
              setResult({ ...result, errors: masked(result.errors, requestId, record) })
          },
        }),
      }
    },
    onResultProcess({ request, result, setResult, serverContext: { record } }) {
      if (!('errors' in result) || result.errors === undefined) return
      const isAboutDocument = result.errors.every(concernsDocument)
      const errors = masked(result.errors, request.headers.get('x-request-id'), record)
      record.error = `${errors[0]?.extensions.code}`
      if (isAboutDocument && acceptsOnlyJson(request)) {
        for (const { extensions } of errors) extensions.http = { ...extensions.http, status: 200 }
      }
      setResult({ ...result, errors })
    },
  }
}

const acceptsOnlyJson = ({ headers }: Request) => /^application\/json\s*(;[^,]*)?$/.test(headers.get('accept') ?? '')

/** Refuses a request with unsupported media types or query parameters, before its document is read. */
function checkRequest(request: Request): void {
  const { method, headers } = request
  if (method === 'POST' && !isJson(headers)) {
    throw new ServiceError('unsupported_media_type', 'the header Content-Type must be application/json')
  }
  // Checked first: an operation must not run if its answer cannot be sent.
  if (!accepts(headers)) throw new ServiceError('not_acceptable', 'the header Accept must allow application/json')
  if (method === 'GET') checkParameters(new URL(request.url).searchParams)
}

/** A page of another origin can post forms and plain text without a preflight. */
function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}

const sent = [
  '*/*',
  'application/*',
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
]

function accepts(headers: Headers): boolean {
  const accept = headers.get('accept') ?? ''
  if (accept.trim() === '') return true
  return accept.split(',').some((range) => sent.includes(range.split(';')[0]?.trim().toLowerCase() ?? ''))
}

function checkParameters(parameters: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name)
    if (text && !isParseable(text)) throw badRequest(`${name}: must be valid JSON`)
  }
}

function isParseable(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Further fields are not named: a document may have hundreds. */
const maxNamed = 10

/** The root fields that an operation runs, each once, by their schema names: the caller chooses aliases. */
function rootFields(document: DocumentNode, operationName: string | null | undefined): string[] {
  const names = new Set<string>()
  const visited = new Set<string>()

  function collect({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (names.size >= maxNamed) return
      if (node.kind === Kind.FIELD) names.add(node.name.value)
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value)
        const fragment = document.definitions.find(
          (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value,
        )
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) collect(fragment.selectionSet)
      }
    }
  }

  const operation = getOperationAST(document, operationName)
  if (operation) collect(operation.selectionSet)
  return [...names]
}
