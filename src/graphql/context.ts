import type { Domain, Services } from '../domain/services.ts'
import { unauthorized } from '../errors.ts'
import type { Session } from '../model/session.ts'

/** What resolvers see of a request. `session` is null when no credential was presented. */
export interface GraphqlContext {
  session: Session | null
  requestId: string
  /** The REST route; GraphQL operations go by their root fields. */
  operation?: string | undefined
  domain: Domain
}

/** What a door hands over of a request, whichever door it came through. Header names are lower-case. */
export interface RequestFacts {
  headers: Readonly<Record<string, string>>
  query: URLSearchParams
  requestId: string
  /** The REST route, if it is one. */
  operation?: string | undefined
}

/**
 * The context factory: credential -> principal -> namespace -> scopes -> Session, for both doors.
 * Throws 401 for a bad credential, 403 for a namespace that was not granted, 400 for a malformed scope.
 */
export function createContextFactory(domain: Domain, brand: string) {
  return async ({ headers, query, requestId, operation }: RequestFacts): Promise<GraphqlContext> => {
    const session = await domain.authenticate({
      authorization: headers.authorization,
      cookie: headers.cookie,
      namespace: headers[`x-${brand}-namespace`] || undefined,
      scope: headers[`x-${brand}-scope`] || query.get('scope') || undefined,
      requestId,
      operation: operation ?? 'graphql',
    })
    return { session, requestId, operation, domain }
  }
}

/** The services of this request's session. */
export function servicesOf({ session, domain }: GraphqlContext): Services {
  if (!session) throw unauthorized()
  return domain.servicesFor(session)
}
