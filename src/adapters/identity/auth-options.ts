import type { BetterAuthOptions } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { z } from 'zod'
import type { Log } from '../../model/log.ts'
import type { Mail, Mailer } from '../../ports/mail.ts'
import type { Counter } from '../../ports/stores/key-value.ts'
import type { OidcConfig, SignInConfig } from './sign-in-config.ts'
import { addressHeader, admits, invitedHeader, type SignUpPolicy } from './sign-in-config.ts'

export interface AuthSettings {
  brand: string
  secret: string
  signIn: Extract<SignInConfig, { kind: 'on' }>
  allowedOrigins: readonly string[]
  /** Where links in mails lead. It never comes from a request, whose sender may be a stranger. */
  origin: string
  /** Null: addresses are not verified, and passwords cannot be reset. */
  mailer: Mailer | null
  /** Counts attempts per address; null: the database counts. */
  attempts: Counter | null
  log: Log
  /** Runs work that must not block a request or its transaction. */
  background(work: Promise<unknown>): void
  /** Someone asks for a link to set a new password. Returns before it is known whether anyone has the address. */
  requestReset(email: string): void
  /** A person has set a new password by a link. */
  afterReset(userId: string): Promise<void>
}

/** Sets every option: the library reads environment variables for options that are missing. */
export function authOptions(settings: AuthSettings) {
  const { brand, secret, signIn, allowedOrigins, origin, mailer, attempts, log, background } = settings
  const { publicOrigin, signUp, throttle, trustedProxies } = signIn
  const send = async (mail: Mail) => {
    if (mailer !== null) await deliver(mailer, mail, log)
  }
  const limit = { window: throttle.windowSeconds, max: throttle.tries }
  return {
    basePath: '/api/auth',
    baseURL: origin,
    secrets: [{ version: 1, value: secret }],
    telemetry: { enabled: false },
    // Its level decides what else the library prints; "info" prints nothing, and `pass` selects what matters.
    logger: { level: 'info', log: (level, message, ...details) => pass(log, level, message, details) },
    trustedOrigins: async (request) => [...allowedOrigins, ...originsOf(request)],
    user: { modelName: 'authUser' },
    session: { modelName: 'authSession' },
    verification: {
      modelName: 'authVerification',
      // The database stores only a hash of a password-reset token, as of every token.
      storeIdentifier: { default: 'plain', overrides: { 'reset-password': 'hashed' } },
    },
    account: {
      modelName: 'authAccount',
      // Identity providers only tell who a user is, once: none of their data is kept.
      updateAccountOnSignIn: false,
    },
    rateLimit: {
      enabled: true,
      storage: 'database',
      ...(attempts === null ? {} : { customStorage: countedBy(attempts) }),
      modelName: 'authRateLimit',
      window: 10,
      max: 100,
      customRules: {
        '/sign-in/*': limit,
        '/sign-up/*': limit,
        '/change-password': limit,
        '/request-password-reset': limit,
        '/reset-password': limit,
        '/send-verification-email': limit,
        '/get-session': false,
        // An office signs out behind one address, and a person who is refused stays signed in.
        '/sign-out': false,
      },
    },
    advanced: {
      cookiePrefix: brand,
      // The attribute makes the cookie secure, not its name: the name is the same everywhere.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: publicOrigin?.startsWith('https:') ?? false },
      ipAddress: { ipAddressHeaders: [addressHeader], trustedProxies: [...trustedProxies] },
      disableOriginCheck: false,
      disableCSRFCheck: false,
      backgroundTasks: { handler: background },
    },
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: mailer !== null,
      ...(mailer === null
        ? {}
        : {
            sendResetPassword: ({ user, token }) =>
              send({ kind: 'reset-password', to: user.email, url: resetLink(origin, token) }),
          }),
      resetPasswordTokenExpiresIn: 3600,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }) => settings.afterReset(user.id),
    },
    ...(mailer === null
      ? {}
      : {
          emailVerification: {
            sendOnSignUp: true,
            sendOnSignIn: true,
            // The person who opens the link may be another one than it was made for, so opening it does not sign in.
            autoSignInAfterVerification: false,
            sendVerificationEmail: ({ user, url }) =>
              send({ kind: 'verify-email', to: user.email, url: verifyLink(url, allowedOrigins) }),
          },
        }),
    hooks: {
      before: createAuthMiddleware(async ({ path, body, headers, request }) => {
        checkSignUp(signUp, path, body, headers)
        if (path === '/reset-password') checkToken(body)
        // Without a request it is the service itself that asks for the mail.
        if (path === '/request-password-reset' && request !== undefined) return answerReset(settings, body)
      }),
    },
    databaseHooks: {
      user: { create: { before: async (user, context) => admitted(signUp, user.email, context?.headers) } },
      account: {
        create: {
          before: async (account) => ({ data: { ...account, accessToken: null, refreshToken: null, idToken: null } }),
        },
      },
    },
  } satisfies BetterAuthOptions
}

/** Counts attempts in a window that starts with the first one. `key` is an address with an endpoint. */
function countedBy(attempts: Counter) {
  return {
    consume: async (key: string, { window, max }: { window: number; max: number }) => {
      const count = await attempts.increment(`attempts/${key}`, window * 1000)
      return { allowed: count <= max, retryAfter: window }
    },
  }
}

/** The same answer in the same time for every address. What is not an address is left to the library: 400. */
function answerReset({ requestReset }: AuthSettings, body: unknown) {
  const input = z.object({ email: z.email() }).safeParse(body)
  if (!input.success) return
  requestReset(input.data.email)
  return { status: true, message: 'If someone has this address, a mail with a link is on its way to it' }
}

/** Every other text would reach the database, which takes no NUL. */
function checkToken(body: unknown): void {
  const input = z.object({ token: z.string().regex(/^\w{1,64}$/) }).safeParse(body)
  if (input.success) return
  throw new APIError('BAD_REQUEST', {
    code: 'INVALID_TOKEN',
    message: 'token: must be that of a link in a mail, not older than an hour and not used before',
  })
}

/** Runs before the address is looked up: a refusal must not reveal whether it already has an account. */
function checkSignUp(policy: SignUpPolicy, path: string, body: unknown, headers: Headers | undefined): void {
  if (path !== '/sign-up/email' || typeof body !== 'object' || body === null) return
  const { name, email, image } = body as Record<string, unknown>
  admitted(policy, email, headers)
  for (const [field, value, longest] of [
    ['name', name, 128],
    ['email', email, 254],
    ['image', image, 2048],
  ] as const) {
    if (typeof value !== 'string') continue
    if (value.length > longest)
      throw new APIError('BAD_REQUEST', { message: `${field}: must be at most ${longest} characters` })
    if (!value.isWellFormed() || value.includes('\0')) {
      throw new APIError('BAD_REQUEST', { message: `${field}: must not contain NUL or an unpaired surrogate` })
    }
  }
}

function admitted(policy: SignUpPolicy, email: unknown, headers: Headers | undefined): void {
  if (admits(policy, email)) return
  const invited = headers?.get(invitedHeader)
  if (invited && typeof email === 'string' && decodeURIComponent(invited) === email.toLowerCase()) return
  throw new APIError('FORBIDDEN', {
    code: 'SIGN_UP_REFUSED',
    message: 'email: this address may not sign up here; ask the operator to allow it',
  })
}

/** This host served the page that sends the request. The HTTP layer has refused pages under names that are not the service's. */
function originsOf(request: Request | undefined): string[] {
  const host = request?.headers.get('host')
  return host ? [`http://${host}`, `https://${host}`] : []
}

/** Passes on the library's log lines that an operator can act on, without the values in them. */
function pass(log: Log, level: string, message: string, details: readonly unknown[]): void {
  if (level !== 'error') return
  const err = details.find((detail) => detail instanceof Error)
  if (err) log.error({ err }, 'console sign-in failed')
  else log.info({ reason: message.slice(0, 200) }, 'a sign-in was refused')
}

/** Passwords and sessions, over the tables of `database` (the catalog's Prisma client). */
export function createAuth(database: object, settings: AuthSettings) {
  return betterAuth({ ...authOptions(settings), database: tablesIn(database) })
}

/** The same with the identity provider. Requests the provider's endpoints once, here; null if it does not name them. */
export async function createOidcAuth(database: object, settings: AuthSettings, oidc: OidcConfig) {
  const { issuer, clientId, clientSecret } = oidc
  const { signUp } = settings.signIn
  const provider = {
    providerId: oidcProvider,
    discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    requireIdTokenVerification: true,
    // Some send a text. Without the claim nobody says whose address it is.
    mapProfileToUser: ({ email_verified: verified }: Record<string, unknown>) => ({
      emailVerified: verified === true || verified === 'true',
    }),
    // A list of domains is kept only by those whose address is proved: by the provider, otherwise by a mail.
    requireEmailVerification: typeof signUp === 'object',
  }
  const auth = betterAuth({
    ...authOptions(settings),
    database: tablesIn(database),
    plugins: [genericOAuth({ config: [provider] })],
  })
  const { socialProviders } = await auth.$context
  return socialProviders.some(({ id }) => id === oidcProvider) ? auth : null
}

/** Names the provider in requests and in the callback's address: `/api/auth/callback/oidc`. */
const oidcProvider = 'oidc'

/** A user and its password are written in one transaction: one without the other would block the address forever. */
const tablesIn = (database: object) => prismaAdapter(database, { provider: 'postgresql', transaction: true })

/** Sends a mail. A failure is logged without the link, which proves an identity, and without the address. */
export async function deliver(mailer: Mailer, mail: Mail, log: Log): Promise<void> {
  await mailer.send(mail).catch((err: unknown) => log.error({ err, kind: mail.kind }, 'a mail could not be sent'))
}

/** The page on which a new password is set. */
export const resetLink = (origin: string, token: string): string => `${origin}/reset-password?token=${token}`

/**
 * The library's link, which leads back to where the request says. Only to an own page: what a stranger asked for is
 * mailed to others, too.
 */
export function verifyLink(url: string, origins: readonly string[]): string {
  const link = new URL(url)
  const back = URL.parse(link.searchParams.get('callbackURL') ?? '/', link.origin)
  if (back === null || ![link.origin, ...origins].includes(back.origin)) link.searchParams.set('callbackURL', '/')
  return link.href
}
