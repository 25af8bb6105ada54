import { isIP } from 'node:net'
import { z } from 'zod'
import type { SignInConfig, SignUpPolicy } from '../adapters/identity/sign-in-config.ts'
import { integer, originUrl, webAddress } from './kinds.ts'
import { hasMail, mailSettings } from './mail.ts'

const domain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/
const listOf = (text: string) => text.split(',').map((item) => item.trim().toLowerCase())

/** The settings of console sign-in. */
export const signInSettings = {
  PUBLIC_URL: originUrl
    .optional()
    .describe(
      'Origin under which browsers reach the service. Links begin with it. With https, the session cookie is Secure. Without it, people can sign in only at localhost or an IP address',
    ),
  AUTH_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe(
      'Secret that signs session cookies. Default: generated in DATA_DIR/secrets. With DATABASE_URL it has no default; without it, console sign-in is off',
    ),
  SIGN_UP: z
    .string()
    .refine((text) => policyOf(text) !== null, 'must be open, closed or a comma-separated list of e-mail domains')
    .default('open')
    .describe(
      'Who may sign up to the console: open (anyone), closed (no one), or a comma-separated list of e-mail domains, which requires mails (SMTP_URL or MAIL_WEBHOOK_URL)',
    ),
  ...mailSettings,
  OIDC_ISSUER: webAddress.optional().describe('Issuer of the OpenID Connect provider for sign-in. Requires PUBLIC_URL'),
  OIDC_CLIENT_ID: z.string().optional().describe('Client id of this service at the OpenID Connect provider'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('Client secret of this service at the OpenID Connect provider'),
  OAUTH_REGISTRATION: z
    .enum(['open', 'closed'])
    .default('open')
    .describe(
      'Whether agents may register themselves as OAuth clients, to ask people for access: open or closed. Registered ones continue to work',
    ),
  TRUSTED_PROXIES: z
    .string()
    .refine((text) => listOf(text).every(isNetwork), 'must be a comma-separated list of addresses or networks (CIDR)')
    .optional()
    .describe('Comma-separated addresses or networks of proxies whose header X-Forwarded-For is trusted'),
  SIGN_IN_TRIES: integer(1)
    .default(10)
    .describe('Maximum sign-in attempts, sign-ups and password resets, each, per minute and IP address. Above it: 429'),
}

type SignInEnv = z.infer<z.ZodObject<typeof signInSettings>> & { DATABASE_URL?: string | undefined }

/** Reports settings that contradict each other in `problems`. */
export function signInConfig(env: SignInEnv, problems: string[]): SignInConfig {
  const oidc = [env.OIDC_ISSUER, env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET] as const
  const [issuer, clientId, clientSecret] = oidc
  if (oidc.some(Boolean) && !oidc.every(Boolean)) {
    problems.push('OIDC_ISSUER: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET go together')
  }
  if (env.PUBLIC_URL === undefined) {
    for (const name of ['OIDC_ISSUER', 'MAIL_WEBHOOK_URL'] as const) {
      if (env[name] !== undefined) problems.push(`PUBLIC_URL: is needed with ${name}, for the links back`)
    }
  }
  const signUp = policyOf(env.SIGN_UP) ?? 'closed'
  if (typeof signUp === 'object' && !hasMail(env)) {
    problems.push(
      'SIGN_UP: a list of domains needs SMTP_URL or MAIL_WEBHOOK_URL: without mail nobody shows that an address is theirs; set one, or SIGN_UP to open or closed',
    )
  }
  // With a data directory, each replica would have its own secret.
  if (env.DATABASE_URL !== undefined && env.AUTH_SECRET === undefined) {
    for (const name of ['OIDC_ISSUER', 'SMTP_URL', 'MAIL', 'MAIL_WEBHOOK_URL'] as const) {
      if (env[name] !== undefined) problems.push(`AUTH_SECRET: is needed with DATABASE_URL and ${name}`)
    }
    return { kind: 'off' }
  }
  return {
    kind: 'on',
    secret: env.AUTH_SECRET ?? null,
    signUp,
    publicOrigin: env.PUBLIC_URL ?? null,
    agentRegistration: env.OAUTH_REGISTRATION,
    oidc: issuer && clientId && clientSecret ? { issuer, clientId, clientSecret } : null,
    trustedProxies: env.TRUSTED_PROXIES === undefined ? [] : listOf(env.TRUSTED_PROXIES),
    throttle: { tries: env.SIGN_IN_TRIES, windowSeconds: 60 },
  }
}

/** Null for a text that is not a policy. */
function policyOf(text: string): SignUpPolicy | null {
  if (text === 'open' || text === 'closed') return text
  const domains = listOf(text)
  return domains.every((name) => domain.test(name)) ? { domains } : null
}

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/')
  const family = isIP(address)
  if (family === 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
