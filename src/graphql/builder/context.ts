import type { Domain, Services } from '../../domain/services.ts'
import { unauthorized } from '../../errors.ts'
import { namespaceHeader, scopeHeader } from '../../model/headers.ts'
import type { Session } from '../../model/session.ts'

/** What resolvers see of a request. `session` is null when no credential was presented. */
export interface GraphqlContext {
  session: Session | null
  requestId: string
  /** The REST route; GraphQL operations go by their root fields. */
  operation?: string | undefined
  /** A browser says that a page of another origin sent it. */
  fromForeignPage: boolean
  domain: Domain
}

/** Where is noted what the log says of a request; the HTTP layer writes the line. */
export interface RequestNotes {
  principalId: string | null
  namespace: string | null
  fields: readonly string[] | null
  error: string | null
}

/** What a door hands over of a request, whichever door it came through. Header names are lower-case. */
export interface RequestFacts {
  headers: Readonly<Record<string, string>>
  query: URLSearchParams
  requestId: string
  /** The REST route, if it is one. */
  operation?: string | undefined
  record?: Pick<RequestNotes, 'principalId' | 'namespace'> | undefined
}

/**
 * The context factory: credential -> principal -> namespace -> scopes -> Session, for both doors.
 * Throws 401 for a bad credential, 403 for a namespace that was not granted, 400 for a malformed scope.
 */
export function createContextFactory(
  domain: Domain,
  brand: string,
  isForeignPage: (headers: RequestFacts['headers']) => boolean,
) {
  const selectors = { scope: scopeHeader(brand).toLowerCase(), namespace: namespaceHeader(brand).toLowerCase() }
  return async ({ headers, query, requestId, operation, record }: RequestFacts): Promise<GraphqlContext> => {
    const session = await domain.authenticate({
      authorization: headers.authorization,
      cookie: headers.cookie,
      namespace: headers[selectors.namespace],
      scopes: [headers[selectors.scope], ...query.getAll('scope')].filter((scope) => scope !== undefined),
      requestId,
      operation: operation ?? 'graphql',
    })
    if (record && session)
      Object.assign(record, { principalId: session.principalId, namespace: session.namespace.name })
    return { session, requestId, operation, fromForeignPage: isForeignPage(headers), domain }
  }
}

/** The services of this request's session. */
export function servicesOf({ session, domain }: GraphqlContext): Services {
  if (!session) throw unauthorized()
  return domain.servicesFor(session)
}
