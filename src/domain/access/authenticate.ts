import { createHash, timingSafeEqual } from 'node:crypto'
import { badRequest, forbidden, unauthorized } from '../../errors.ts'
import { isScopePath } from '../../model/scope-path.ts'
import { type Caller, Session, type SessionFacts } from '../../model/session.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Identity } from '../../ports/identity.ts'

/** What a request carries of who is calling and what is targeted. */
export interface Credentials {
  /** The raw `Authorization` header. */
  authorization: string | undefined
  namespace: string | undefined
  scope: string | undefined
  requestId: string
}

export interface AccessDeps {
  catalog: Catalog
  identity: Identity
  superAdminToken: string | undefined
}

/** The namespace that the super-admin works in unless it names another. */
const superAdminHome = 'demo'

/** Null when no credential was presented. Throws 401 for a bad one, 403 for a namespace not granted, 400 for a bad scope. */
export type Authenticate = (credentials: Credentials) => Promise<Session | null>

export function createAuthenticate({ catalog, identity, superAdminToken }: AccessDeps): Authenticate {
  return async ({ authorization, namespace, scope, requestId }) => {
    if (authorization === undefined) return null
    const token = bearer(authorization)
    const facts = isSuperAdmin(token, superAdminToken)
      ? await superAdminFacts(catalog, namespace ?? superAdminHome)
      : await principalFacts(catalog, identity, token, namespace)
    if (scope !== undefined && scope !== '*' && !isScopePath(scope)) throw badRequest('scope: not a valid scope path')
    return new Session({ ...facts, requestedScope: scope, requestId })
  }
}

type Facts = Omit<SessionFacts, 'requestedScope' | 'requestId'>

async function principalFacts(
  catalog: Catalog,
  identity: Identity,
  token: string,
  namespace: string | undefined,
): Promise<Facts> {
  const identified = await identity.verifyToken(token)
  const membership = identified && (await catalog.access.membership(identified.principalId, namespace))
  if (!membership) throw unauthorized()
  const { principal, target } = membership
  const isHome = target?.namespace.id === principal.home.id
  // A namespace that does not exist answers like one that was not granted.
  if (!target || (!isHome && target.grants.length === 0)) throw forbidden('the namespace was not granted')
  return { caller: { ...principal, superAdmin: false }, ...target, restrictions: identified.restrictions }
}

async function superAdminFacts(catalog: Catalog, name: string): Promise<Facts> {
  const target = await catalog.access.namespace(name)
  if (!target) throw forbidden('the namespace was not granted')
  const caller: Caller = {
    principalId: 'super-admin',
    home: target.namespace,
    kind: 'service',
    groups: [],
    readOnly: false,
    activeScope: '*',
    superAdmin: true,
  }
  return { caller, ...target, grants: [], restrictions: {} }
}

function bearer(authorization: string): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token === undefined) throw unauthorized()
  return token
}

const digest = (text: string) => createHash('sha256').update(text).digest()

function isSuperAdmin(token: string, secret: string | undefined): boolean {
  return secret !== undefined && timingSafeEqual(digest(token), digest(secret))
}
