import type { BetterAuthOptions } from 'better-auth'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import type { Log } from '../../model/log.ts'
import type { Counter } from '../../ports/stores/key-value.ts'
import { postMail } from './mail-webhook.ts'
import type { SignInConfig } from './sign-in-config.ts'
import { admits, type SignUpPolicy } from './sign-up-policy.ts'

export interface AuthSettings {
  brand: string
  secret: string
  signIn: Extract<SignInConfig, { kind: 'on' }>
  allowedOrigins: readonly string[]
  /** Counts attempts per address; null: the database counts. */
  attempts: Counter | null
  log: Log
  /** Runs work that must not block a request or its transaction. */
  background(work: Promise<unknown>): void
}

/** Carries the client's address into the library; a value that the client sends under this name is replaced. */
export const addressHeader = 'x-client-address'

/** Sets every option: the library reads environment variables for options that are missing. */
export function authOptions(settings: AuthSettings) {
  const { brand, secret, signIn, allowedOrigins, attempts, log, background } = settings
  const { publicOrigin, mailWebhookUrl, signUp, throttle, trustedProxies } = signIn
  const limit = { window: throttle.windowSeconds, max: throttle.tries }
  return {
    basePath: '/api/auth',
    baseURL: publicOrigin ?? 'http://localhost',
    secrets: [{ version: 1, value: secret }],
    telemetry: { enabled: false },
    // Its level decides what else the library prints; "info" prints nothing, and `pass` selects what matters.
    logger: { level: 'info', log: (level, message, ...details) => pass(log, level, message, details) },
    trustedOrigins: async (request) => [...allowedOrigins, ...originsOf(request)],
    user: { modelName: 'authUser' },
    session: { modelName: 'authSession' },
    verification: { modelName: 'authVerification' },
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
        '/get-session': false,
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
    emailAndPassword: { enabled: true, requireEmailVerification: mailWebhookUrl !== null },
    ...(mailWebhookUrl === null
      ? {}
      : {
          emailVerification: {
            sendOnSignUp: true,
            sendOnSignIn: true,
            // The person who opens the link may be another one than it was made for, so opening it does not sign in.
            autoSignInAfterVerification: false,
            sendVerificationEmail: ({ user, url }) =>
              postMail(mailWebhookUrl, { kind: 'verify-email', to: user.email, url }, log),
          },
        }),
    hooks: { before: createAuthMiddleware(async ({ path, body }) => checkSignUp(signUp, path, body)) },
    databaseHooks: {
      user: { create: { before: async (user) => admitted(signUp, user.email) } },
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

/** Runs before the address is looked up: a refusal must not reveal whether it already has an account. */
function checkSignUp(policy: SignUpPolicy, path: string, body: unknown): void {
  if (path !== '/sign-up/email' || typeof body !== 'object' || body === null) return
  const { name, email, image } = body as Record<string, unknown>
  admitted(policy, email)
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

function admitted(policy: SignUpPolicy, email: unknown): void {
  if (admits(policy, email)) return
  throw new APIError('FORBIDDEN', {
    code: 'SIGN_UP_REFUSED',
    message: 'email: this address may not sign up here; ask the operator to allow it',
  })
}

/** This host served the page that sends the request, under any name. */
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
