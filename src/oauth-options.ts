import type { SignInConfig } from './adapters/identity/sign-in-config.ts'
import type { OauthOptions } from './http/oauth/options.ts'
import { requestIdOf } from './http/request-id.ts'
import type { Runtime } from './runtime.ts'

/** What the OAuth endpoints get of the service. */
export function oauthOptions(
  { config, domain, bindings }: Pick<Runtime, 'config' | 'domain' | 'bindings'>,
  signIn: Extract<SignInConfig, { kind: 'on' }>,
): OauthOptions {
  const { brand, publicOrigin, allowedOrigins } = config
  return {
    agents: domain.agents,
    personOf: async ({ headers }) => {
      const session = await domain.authenticate({
        authorization: undefined,
        cookie: headers.cookie,
        namespace: undefined,
        scopes: [],
        requestId: requestIdOf(headers),
        operation: 'consent',
      })
      if (session === null) return null
      const services = domain.servicesFor(session)
      return {
        namespaces: async () => (await services.namespaces.list()).items.map(({ name }) => name),
        connect: services.agents.connect,
      }
    },
    isOpen: signIn.agentRegistration === 'open',
    hasProvider: signIn.oidc !== null,
    ...{ brand, publicOrigin, allowedOrigins, log: bindings.log },
  }
}
