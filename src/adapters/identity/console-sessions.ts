import { sessionCookie } from '../../model/brand.ts'
import type { ConsoleSessions } from '../../ports/access/sessions.ts'
import { type AuthSettings, addressHeader } from './auth-options.ts'

/** The endpoints that are open; the library's other endpoints answer 404. */
const open = new Set([
  '/sign-up/email',
  '/sign-in/email',
  '/sign-out',
  '/get-session',
  '/list-sessions',
  '/revoke-session',
  '/revoke-sessions',
  '/revoke-other-sessions',
  '/change-password',
  '/send-verification-email',
  '/verify-email',
])

/** The endpoints that need the identity provider. */
const federated = new Set(['/sign-in/social', '/callback/oidc'])

/** How long an identity provider may take to name its endpoints. */
const discoveryMs = 5000

/** Console sessions by better-auth; `database` is the catalog's Prisma client. */
export function createConsoleSessions(database: object, options: Omit<AuthSettings, 'background'>): ConsoleSessions {
  const pending = new Set<Promise<unknown>>()
  const background = (work: Promise<unknown>) => {
    const settled = work.catch(() => {}).finally(() => pending.delete(settled))
    pending.add(settled)
  }
  const settings = { ...options, background }
  const { oidc } = settings.signIn
  const cookieName = `${sessionCookie(settings.brand)}=`

  // Loaded at the first sign-in: a service that uses only tokens starts without the library.
  const engine = once(() => import('./auth-engine.ts'))
  const plain = once(async () => (await engine()).createAuth(database, settings))
  // Separate, so that sessions work while the provider is down; requested again until it answers.
  const withProvider = once(async () =>
    oidc === null ? null : (await engine()).createOidcAuth(database, settings, oidc),
  )

  const provider = async () => {
    const auth = await within(discoveryMs, withProvider())
    if (auth === null) withProvider.forget()
    return auth
  }

  return {
    user: async (cookie) => {
      if (!cookie.includes(cookieName)) return null
      const { api } = await plain()
      const found = await api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
      return found && { userId: found.user.id, email: found.user.email }
    },

    handle: async (request, remoteAddress) => {
      const path = new URL(request.url).pathname.slice('/api/auth'.length)
      if (path === '/ok') return Response.json({ ok: true })
      if (path === '/error') return signInFailed(new URL(request.url).searchParams.get('error'))
      const needsProvider = federated.has(path) && oidc !== null
      if (!open.has(path) && !needsProvider) return refusal(404, 'NOT_FOUND', 'no such endpoint')
      const auth = needsProvider ? await provider() : await plain()
      if (auth === null) return refusal(503, 'PROVIDER_UNREACHABLE', 'the identity provider cannot be reached')
      const { trustedProxies } = settings.signIn
      return auth.handler(addressed(request, remoteAddress, trustedProxies.length > 0))
    },

    close: async () => {
      await Promise.all(pending)
    },
  }
}

/**
 * Tells the library the client's address: the peer of the socket. Behind trusted proxies the peer is the last hop of
 * the chain that they report, and the library removes the trusted hops.
 */
function addressed(request: Request, remoteAddress: string | undefined, behindProxies: boolean): Request {
  const headers = new Headers(request.headers)
  const reported = behindProxies ? headers.get('x-forwarded-for') : null
  headers.delete(addressHeader)
  const chain = [reported, remoteAddress].filter((hop) => hop)
  if (chain.length > 0) headers.set(addressHeader, chain.join(', '))
  return new Request(request, { headers })
}

/**
 * Where a browser arrives when a sign-in by the identity provider, or a link in a mail, fails. The library would show a
 * page of its makers.
 */
function signInFailed(reason: string | null): Response {
  const known = reason !== null && /^[A-Za-z0-9_-]{1,64}$/.test(reason) ? reason : 'unknown'
  const body = { error: 'bad_request', detail: `signing in failed: ${known}`, status: 400 }
  return Response.json(body, { status: 400 })
}

const refusal = (status: number, code: string, message: string) => Response.json({ code, message }, { status })

/** Makes it on first use, and again after a failure or `forget`. */
function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | null = null
  const get = () => {
    made ??= make().catch((error) => {
      made = null
      throw error
    })
    return made
  }
  get.forget = () => {
    made = null
  }
  return get
}

/** Null when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const expired = Promise.withResolvers<null>()
  const timer = setTimeout(() => expired.resolve(null), ms)
  return Promise.race([work, expired.promise]).finally(() => clearTimeout(timer))
}
