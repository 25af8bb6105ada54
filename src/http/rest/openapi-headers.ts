import { afterSeqHeader, seqHeader } from '../../model/brand.ts'
import type { JsonSchema } from './openapi-types.ts'
import type { Operation } from './operation.ts'
import { namesCaller } from './route.ts'

/** Whether a route reads the header Idempotency-Key. */
export const takesKey = ({ route, isWrite }: Operation): boolean =>
  isWrite && route.method === 'POST' && namesCaller(route)

const searches = ['/v1/search', '/v1/answer']

/** Whether a route waits for the seq that its caller names. */
export const followsSeq = ({ route }: Pick<Operation, 'route'>): boolean =>
  namesCaller(route) && (route.method === 'GET' || searches.includes(route.path))

/** The headers of HTTP that a route reads, as parameters. One of them may come in the query, too. */
export function requestHeaders(operation: Operation, brand: string): JsonSchema[] {
  const headers: JsonSchema[] = []
  if (operation.route.tagged) {
    headers.push(
      parameter('If-None-Match', 'Tags of answers that the caller has, or `*`. If one matches, the answer is 304.'),
    )
  }
  if (takesKey(operation)) {
    headers.push(
      parameter('Idempotency-Key', 'With the same key the same request has one effect and one answer, for 24 hours.', {
        type: 'string',
        minLength: 1,
        maxLength: 257,
        pattern: '^[!-~]+$',
      }),
    )
  }
  if (followsSeq(operation)) {
    const description = 'Waits until this service holds all changes of the namespace up to this seq.'
    const schema = { type: 'integer', minimum: 0 }
    headers.push(parameter(afterSeqHeader(brand), description, schema))
    headers.push({ name: 'after_seq', in: 'query', description: 'As the header, which wins.', schema })
  }
  return headers
}

/** The headers of a route's successful answer. */
export function headersOf(operation: Operation, brand: string): { headers?: Record<string, JsonSchema> } {
  const headers: Record<string, JsonSchema> = {}
  if (operation.route.tagged) headers.ETag = header('The tag of this answer (weak): it changes with the content.')
  if (operation.isWrite && namesCaller(operation.route)) {
    headers[seqHeader(brand)] = header('A seq of the targeted namespace that includes this write.', { type: 'integer' })
  }
  if (takesKey(operation)) {
    headers['Idempotency-Replayed'] = header('`true` for the answer of an earlier request with this key.')
  }
  return Object.keys(headers).length === 0 ? {} : { headers }
}

const parameter = (name: string, description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema,
})

const header = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({ description, schema })
