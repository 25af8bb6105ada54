import SchemaBuilder from '@pothos/core'
import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { decodeBase64, readVector, type SentVector } from '../../domain/input/vector.ts'
import type { Domain, Services } from '../../domain/services.ts'
import { type ServiceError, unauthorized } from '../../errors.ts'
import { type Auth, afterSeqHeader, namespaceHeader, type RequestFacts, scopeHeader } from '../../model/request.ts'
import type { Session } from '../../model/session.ts'
import type { Metadata } from '../../model/unit.ts'

/** The schema's type parameters. Fields are non-null by default. */
interface OwnTypes {
  Context: GraphqlContext
  DefaultFieldNullability: false
  Scalars: {
    SafeInt: { Input: number; Output: number }
    Vector: { Input: SentVector; Output: Float32Array }
    Bytes: { Input: Uint8Array; Output: Uint8Array }
    JSON: { Input: unknown; Output: unknown }
    Metadata: { Input: unknown; Output: Metadata }
    Condition: { Input: unknown; Output: unknown }
    Time: { Input: unknown; Output: number }
  }
}

export const builder = new SchemaBuilder<OwnTypes>({ defaultFieldNullability: false })

builder.queryType({ description: 'Reads.' })
builder.mutationType({ description: 'Writes.' })
builder.subscriptionType({
  description: 'Changes, as server-sent events: `POST /graphql` with `Accept: text/event-stream`.',
})

function safeInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new GraphQLError('must be an integer')
}

builder.scalarType('SafeInt', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  description: 'An integer of up to 53 bits: times in epoch milliseconds, sequence numbers, counts.',
  serialize: safeInt,
  parseValue: safeInt,
  parseLiteral: (node) => safeInt(node.kind === Kind.INT ? Number(node.value) : undefined),
})

function vector(value: unknown): SentVector {
  const read = readVector(value)
  if (typeof read === 'string') throw new GraphQLError(read)
  return read
}

builder.scalarType('Vector', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-5',
  description:
    'An embedding, kept by its direction: scaled to length 1, as float32. A list of finite numbers, or base64 of little-endian float32 values, which is much faster to read.',
  serialize: (values) => [...values],
  parseValue: vector,
  parseLiteral: (node) => vector(valueFromASTUntyped(node as ValueNode)),
})

function bytes(value: unknown): Uint8Array {
  const isPadded = typeof value === 'string' && value.length % 4 === 0
  const decoded = isPadded ? decodeBase64(value) : null
  if (decoded === null) throw new GraphQLError('must be base64')
  return new Uint8Array(decoded)
}

builder.scalarType('Bytes', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc4648#section-4',
  description: 'Bytes as padded base64.',
  serialize: (value) => Buffer.from(value).toString('base64'),
  parseValue: bytes,
})

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value.',
  serialize: (value) => value,
})

builder.scalarType('Metadata', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  description:
    "An object of the caller's own keys: any JSON of at most 5 levels, 256 values and 16 KiB. It comes back as it was sent.",
  serialize: (value) => value,
})

builder.scalarType('Condition', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description:
    'A value; a list of values, of which any may match; or an object of operators, which all must match: `eq`, `ne`, `in`, `nin`, `gt`, `gte`, `lt`, `lte`, `exists`, `prefix`, `contains`, `all`. `null` is a value that is absent. `ne` and `nin` match what is absent.',
  serialize: (value) => value,
})

builder.scalarType('Time', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  description: 'Epoch milliseconds, or ISO 8601 with a zone.',
  serialize: (value) => value,
})

/** The part of a request that resolvers see. `session` is null when no credential was sent. */
export interface GraphqlContext {
  session: Session | null
  requestId: string
  /** The REST route. GraphQL operations are named by their root fields. */
  operation?: string | undefined
  /** Lists come whole instead of in pages. */
  wholeLists: boolean
  /** A browser marked the request as sent by a page that is not the service's own. */
  pageProblem: ServiceError | null
  /** Headers of the answer, by names in lower case. */
  headers: Record<string, string>
  /** Notes that the answer has a new secret: it is not compressed. */
  keepPlain(): void
  domain: Domain
}

/**
 * The context factory for REST and GraphQL: credential -> principal -> namespace -> scopes -> Session. `auth` says
 * whether a credential is required. Throws 401 for a missing or invalid credential, 403 for a namespace that was not
 * granted, 400 for a malformed scope or seq, 503 if the indexes do not reach the seq in time, 429 for
 * a caller with too many open requests.
 */
export function createContextFactory(
  domain: Domain,
  brand: string,
  pageProblem: (headers: RequestFacts['headers']) => ServiceError | null,
) {
  const selectors = { scope: scopeHeader(brand).toLowerCase(), namespace: namespaceHeader(brand).toLowerCase() }
  const afterSeq = afterSeqHeader(brand).toLowerCase()
  return async (facts: RequestFacts, auth: Auth = 'optional'): Promise<GraphqlContext> => {
    const { headers, query, requestId, operation, via, wholeLists = false, record } = facts
    const keepPlain = () => {
      if (record) record.plain = true
    }
    const common = { keepPlain, requestId, operation, wholeLists, domain, headers: record?.headers ?? {} }
    if (auth === 'none' || auth === 'own') return { ...common, session: null, pageProblem: null }
    const credentials = {
      authorization: headers.authorization,
      cookie: headers.cookie,
      namespace: headers[selectors.namespace],
      scopes: [headers[selectors.scope], ...query.getAll('scope')].filter((scope) => scope !== undefined),
      requestId,
      operation: operation ?? 'graphql',
      via,
      answerHeaders: record?.headers,
      room: record?.room,
    }
    const entered = await domain.authenticate(credentials)
    const after = headers[afterSeq] ?? query.get('after_seq')
    const { followsSeq: waits = false } = facts
    if (entered && after !== null) await domain.afterSeq(entered.namespace.id, after, waits)
    // Rights may have changed during the wait: they are read again.
    const session = entered && after !== null && waits ? await domain.authenticate(credentials) : entered
    if (record && session)
      Object.assign(record, { principalId: session.principalId, namespace: session.namespace.name })
    if (session) record?.room?.enter(session.principalId)
    const context = { ...common, session, pageProblem: pageProblem(headers) }
    if (auth === 'required') sessionOf(context)
    return context
  }
}

/** The session of this request. Throws 401 when no credential was sent. */
function sessionOf({ session }: Pick<GraphqlContext, 'session'>): Session {
  if (!session) throw unauthorized()
  return session
}

/** Ids whose names one answer needs: they are read together. */
interface NameBatch {
  ids: Set<string>
  names: Promise<ReadonlyMap<string, string>>
}
const batches = new WeakMap<GraphqlContext, NameBatch>()

/** The name of a principal of the namespace; null without one. */
export async function nameOf(context: GraphqlContext, id: string | null): Promise<string | null> {
  if (id === null) return null
  const batch = batches.get(context) ?? beginBatch(context)
  batch.ids.add(id)
  return (await batch.names).get(id) ?? null
}

function beginBatch(context: GraphqlContext): NameBatch {
  const ids = new Set<string>()
  const read = async () => {
    // All fields of the answer that are at hand have named their ids by then.
    await new Promise(setImmediate)
    batches.delete(context)
    return servicesOf(context).names([...ids])
  }
  const batch = { ids, names: read() }
  batches.set(context, batch)
  return batch
}

/** The services for the session of this request. */
export const servicesOf = (context: GraphqlContext): Services => context.domain.servicesFor(sessionOf(context))
