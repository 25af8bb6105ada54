import { prismaAdapter } from 'better-auth/adapters/prisma'
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { type AuthSettings, authOptions } from './auth-options.ts'
import type { OidcConfig } from './sign-in-config.ts'

/** Passwords and sessions, over the tables that `database` (the catalog's Prisma client) has for them. */
export function createAuth(database: object, settings: AuthSettings) {
  return betterAuth({ ...authOptions(settings), database: tablesIn(database) })
}

/**
 * The same with the identity provider. It is asked for its endpoints once, while this is made; null when it gave none.
 */
export async function createOidcAuth(database: object, settings: AuthSettings, oidc: OidcConfig) {
  const { issuer, clientId, clientSecret } = oidc
  const provider = {
    providerId: oidcProvider,
    discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    requireIdTokenVerification: true,
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

/** A user and its password are written in one transaction: half of them would block the address for good. */
const tablesIn = (database: object) => prismaAdapter(database, { provider: 'postgresql', transaction: true })
