import { currentKey, reportUnauthorized } from '../session/credential.ts'
import { brand } from './brand.ts'
import { type GraphqlProblem, noAnswer, toServiceError, unreachable } from './service-error.ts'

/** A typed document, as the code generator writes it. */
export interface TypedDocument<Result, Variables> {
  __apiType?: (variables: Variables) => Result
  __meta__?: Record<string, unknown> | undefined
  toString(): string
}

/** Where a request is made. Absent: what the service chooses. */
export interface Selection {
  namespace?: string | undefined
  scope?: string | undefined
}

export interface RequestOptions {
  selection?: Selection
  signal?: AbortSignal
  /** Instead of the credential of the tab. */
  key?: string
  /** Anyone may ask: a 401 says nothing about the session. */
  isPublic?: boolean
  /** What came counts, also where another part of it failed. */
  isPartial?: boolean
  accept?: string
}

/**
 * Sends one operation by its id, and by its text to a service that does not know the id. Rejects with a ServiceError
 * if there is no answer.
 */
export async function send(
  document: TypedDocument<unknown, never>,
  variables: unknown,
  options: RequestOptions,
): Promise<Response> {
  const { selection = {}, signal, isPublic = false } = options
  const { accept = 'application/graphql-response+json, application/json' } = options
  const headers: Record<string, string> = { accept, 'content-type': 'application/json' }
  const key = options.key ?? currentKey()
  if (key !== null) headers.authorization = `Bearer ${key}`
  if (selection.namespace !== undefined) headers[`x-${brand}-namespace`] = selection.namespace
  if (selection.scope !== undefined) headers[`x-${brand}-scope`] = selection.scope
  const post = (body: object) =>
    fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null }).catch(
      (error) => {
        if (signal?.aborted) throw error
        throw unreachable()
      },
    )
  let response = await post({ documentId: document.__meta__?.hash, variables })
  if (response.status === 400 && (await isUnknownDocument(response.clone()))) {
    response = await post({ query: document.toString(), variables })
  }
  if (response.status === 401 && !isPublic) reportUnauthorized(key)
  return response
}

async function isUnknownDocument(response: Response): Promise<boolean> {
  const { errors } = await readAnswer<unknown>(response)
  return errors?.[0]?.extensions?.code === 'persisted_query_not_found'
}

/** The data of one operation. Rejects with a ServiceError, also where only a part failed. */
export async function request<Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  options: RequestOptions = {},
): Promise<Result> {
  const key = currentKey()
  const response = await send(document, variables, options)
  const answer = await readAnswer<Result>(response)
  const problem = answer.errors?.[0]
  if ((problem === undefined || options.isPartial) && answer.data != null) return answer.data
  const error = toServiceError(problem ?? { message: noAnswer(response.status) }, response)
  if (error.status === 401 && !options.isPublic) reportUnauthorized(key)
  throw error
}

async function readAnswer<Result>(response: Response): Promise<{ data?: Result | null; errors?: GraphqlProblem[] }> {
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  if (isJson) return response.json()
  return { errors: [{ message: noAnswer(response.status) }] }
}
