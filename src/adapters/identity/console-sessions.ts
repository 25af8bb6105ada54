import { setTimeout as sleep } from 'node:timers/promises'
import { mailNotConfigured } from '../../errors.ts'
import { once } from '../../model/once.ts'
import { invitationHeader, sessionCookie } from '../../model/request.ts'
import type { ConsoleSessions, IsInvited } from '../../ports/access/sessions.ts'
import type { AuthSettings } from './auth-options.ts'
import { addressHeader, invitedHeader } from './sign-in-config.ts'

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
  '/request-password-reset',
  '/reset-password',
  '/send-verification-email',
  '/verify-email',
])

/** The endpoints that need the identity provider. */
const federated = new Set(['/sign-in/social', '/callback/oidc'])

/** The endpoints that need mails. */
const byMail = new Set(['/request-password-reset', '/reset-password'])

/** How long an identity provider may take to name its endpoints. */
const discoveryMs = 5000

/** How long closing waits for mails under way. */
const closeMs = 5000

/** The look-up of an address begins this long after the request came: the answer's time says nothing about it. */
const afterAnswerMs = 100

type Options = Omit<AuthSettings, 'background' | 'origin' | 'requestReset' | 'afterReset'> & {
  /** Asked at the first sign-in: only then the address is known that the service listens on. */
  originNow(): string
}

/** Console sessions by better-auth; `database` is the catalog's Prisma client. */
export function createConsoleSessions(database: object, options: Options): ConsoleSessions {
  const { log, mailer, signIn } = options
  const { oidc, signUp, trustedProxies } = signIn
  const pending = new Set<Promise<unknown>>()
  const background = (work: Promise<unknown>) => {
    const settled = work
      .catch((err) => log.error({ err }, 'background work of the sign-in failed'))
      .finally(() => pending.delete(settled))
    pending.add(settled)
  }
  const settings = (): AuthSettings => ({
    ...options,
    ...{ origin: options.originNow(), background, requestReset, afterReset },
  })
  const cookieName = `${sessionCookie(options.brand)}=`

  // Loaded at the first sign-in: a service that uses only tokens starts without the library.
  const engine = once(() => import('./auth-options.ts'))
  const plain = once(async () => (await engine()).createAuth(database, settings()))
  // Separate, so that sessions work while the provider is down; requested again until it answers.
  const withProvider = once(async () =>
    oidc === null ? null : (await engine()).createOidcAuth(database, settings(), oidc),
  )

  const requestReset = (email: string) => background(sleep(afterAnswerMs).then(() => mailReset(email)))
  const mailReset = async (email: string) => {
    const { api, $context } = await plain()
    const { internalAdapter } = await $context
    const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true })
    // Who signs in by the identity provider alone gets no second way around it.
    const hasPassword = found?.accounts.some(({ providerId }) => providerId === 'credential')
    if (hasPassword) await api.requestPasswordReset({ body: { email } })
  }
  /** The link proved the address. Other links to set a password end with it. */
  const afterReset = async (userId: string) => {
    const { adapter, internalAdapter } = await (await plain()).$context
    await internalAdapter.updateUser(userId, { emailVerified: true })
    await adapter.deleteMany({ model: 'verification', where: [{ field: 'value', value: userId }] })
  }

  const provider = async () => {
    const auth = await within(discoveryMs, withProvider())
    if (auth === null) withProvider.forget()
    return auth
  }

  return {
    ways: {
      email: true,
      signUp: typeof signUp === 'string' ? signUp : 'domains',
      oidc: oidc !== null,
      passwordReset: mailer !== null,
    },

    user: async (cookie) => {
      if (!cookie.includes(cookieName)) return null
      const { api } = await plain()
      const found = await api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
      return found && { userId: found.user.id, email: found.user.email, name: found.user.name }
    },

    handle: async (request, remoteAddress, isInvited) => {
      const path = new URL(request.url).pathname.slice('/api/auth'.length)
      if (path === '/ok') return Response.json({ ok: true })
      if (path === '/error') return signInFailed(new URL(request.url).searchParams.get('error'))
      const needsProvider = federated.has(path) && oidc !== null
      if (!open.has(path) && !needsProvider) return refusal(404, 'NOT_FOUND', 'no such endpoint')
      if (mailer === null && byMail.has(path)) throw mailNotConfigured()
      const auth = needsProvider ? await provider() : await plain()
      if (auth === null) return refusal(503, 'PROVIDER_UNREACHABLE', 'the identity provider cannot be reached')
      const token = path === '/sign-up/email' ? request.headers.get(invitationHeader(options.brand)) : null
      const invited = token === null ? null : await invitedAddress(request, token, isInvited)
      return auth.handler(annotated(request, remoteAddress, trustedProxies.length > 0, invited))
    },

    close: async () => {
      const ended = new AbortController()
      await Promise.race([Promise.all(pending), sleep(closeMs, null, { signal: ended.signal }).catch(() => {})])
      ended.abort()
    },
  }
}

/**
 * Tells the library the client's address: the peer of the socket. Behind trusted proxies the peer is the last hop of
 * the chain that they report, and the library removes the trusted hops. Tells it too which address was invited.
 */
function annotated(
  request: Request,
  remoteAddress: string | undefined,
  behindProxies: boolean,
  invited: string | null,
): Request {
  const headers = new Headers(request.headers)
  const reported = behindProxies ? headers.get('x-forwarded-for') : null
  headers.delete(addressHeader)
  headers.delete(invitedHeader)
  if (invited !== null) headers.set(invitedHeader, encodeURIComponent(invited))
  const chain = [reported, remoteAddress].filter((hop) => hop)
  if (chain.length > 0) headers.set(addressHeader, chain.join(', '))
  return new Request(request, { headers })
}

/** The address in the body of a sign-up, if the token invites it. */
async function invitedAddress(request: Request, token: string, isInvited: IsInvited): Promise<string | null> {
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null)
  const email = typeof body === 'object' && body !== null && 'email' in body ? body.email : null
  if (typeof email !== 'string' || !email.isWellFormed()) return null
  return (await isInvited(token, email)) ? email.toLowerCase() : null
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

/** Null when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const expired = Promise.withResolvers<null>()
  const timer = setTimeout(() => expired.resolve(null), ms)
  return Promise.race([work, expired.promise]).finally(() => clearTimeout(timer))
}
