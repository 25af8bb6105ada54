import type { Domain, Services } from '../../domain/services.ts'
import { type ServiceError, unauthorized } from '../../errors.ts'
import type { Auth, RequestFacts } from '../../model/request.ts'
import { afterSeqHeader, namespaceHeader, scopeHeader } from '../../model/request.ts'
import type { Session } from '../../model/session.ts'

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
