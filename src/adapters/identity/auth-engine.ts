import { prismaAdapter } from 'better-auth/adapters/prisma'
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { type AuthSettings, authOptions } from './auth-options.ts'
import type { OidcConfig } from './sign-in-config.ts'

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
