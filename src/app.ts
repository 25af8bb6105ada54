import { fileURLToPath } from 'node:url'
import type { SignInConfig } from './adapters/identity/sign-in-config.ts'
import { createContextFactory, type GraphqlContext } from './graphql/builder/builder.ts'
import { schema } from './graphql/schema.ts'
import { costExtension } from './graphql/server/cost.ts'
import { createWriteOf } from './graphql/server/write.ts'
import { createAuthHandler } from './http/auth.ts'
import { readBuild, withConsole, withFailedSignIn } from './http/console.ts'
import { createDifyEndpoint } from './http/dify/endpoint.ts'
import { type Fetch, toFetch } from './http/fetch.ts'
import { createGraphqlHandler } from './http/graphql.ts'
import { createReadyz, createRouter, livez, withCompression, withHead } from './http/handlers.ts'
import { createExportHandler, createSourceHandler, createUploadHandler } from './http/links.ts'
import { createMcpEndpoint } from './http/mcp/endpoint.ts'
import { type Handler, json, requestIdOf, splitTarget } from './http/message.ts'
import { createOauthMounts, paths } from './http/oauth/endpoints.ts'
import type { OauthOptions } from './http/oauth/options.ts'
import { createOpenAiEndpoint } from './http/openai/endpoint.ts'
import { ownPages, pageProblemOf } from './http/origin.ts'
import { createReferenceMounts } from './http/reference/reference.ts'
import { openapi } from './http/rest/openapi.ts'
import { createShim, routes } from './http/rest/route.ts'
import { once } from './model/once.ts'
import { permissions } from './model/registry.ts'
import type { Session } from './model/session.ts'
import { shapes } from './operations/operation.ts'
import type { Runtime } from './runtime.ts'
import { version } from './version.ts'

export interface App {
  /** The handler of the HTTP server. */
  handler: Handler
  /** The same, for tests and embedding: it needs no socket. */
  fetch: Fetch
  /** From now on /readyz answers 503, so that load balancers send no more traffic. Everything else continues. */
  leave(): void
}

/** What `npm run build:console` writes. */
const consoleDirectory = fileURLToPath(new URL('../console/dist', import.meta.url))

/** Write on an effective scope; where none is registered yet, on the requested one. */
function mayWrite(session: Session): boolean {
  const effective = session.scopesInReach('read')
  if (effective.length > 0) return effective.some(({ scope }) => session.may('write', scope))
  return session.mayUnder('write', session.requestedScope)
}

/** The same request, which may write nowhere. */
function withoutWrite(context: GraphqlContext): GraphqlContext {
  const { session } = context
  if (session === null) return context
  const { restrictions } = session.facts
  const perms = (restrictions.perms ?? permissions).filter((perm) => perm === 'read')
  return { ...context, session: session.with({ restrictions: { ...restrictions, perms } }) }
}

/** REST under /v1 and GraphQL at /graphql, over one runtime, plus the console, sign-in, API descriptions and probes. */
export function createApp(runtime: Runtime): App {
  const { config, domain, bindings, manifest } = runtime
  const { brand, allowedOrigins, publicOrigin } = config
  const { documents: accepted, maxCost } = config.graphql
  const { log } = bindings
  const own = ownPages(publicOrigin, allowedOrigins)
  const context = createContextFactory(domain, brand, pageProblemOf(own))

  const write = createWriteOf(brand)
  const api = { schema, context, write }

  const shim = createShim({ routes, shapes, brand, log, allowedOrigins, publicOrigin, graphql: api })

  const surface = {
    ...{ graphql: api, shapes, brand, publicOrigin, allowedOrigins, log },
    hasConsole: config.console,
    now: bindings.clock.now,
  }
  const mcp = createMcpEndpoint({
    ...surface,
    callerOf: ({ session }: GraphqlContext) => ({
      tier: session?.namespace.tier ?? 'free',
      mayRead: session?.scopesWith('read').some ?? false,
      mayWrite: session !== null && mayWrite(session),
      mayAskToWrite: session?.client !== undefined && session.facts.restrictions.perms?.includes('write') === false,
    }),
    withoutWrite,
    version,
    resourceMetadata: config.signIn.kind === 'on' ? paths.resource : null,
  })
  const openAi = createOpenAiEndpoint({ ...surface, embeddingModel: bindings.inference.model('text').name })

  /** Callers of GraphQL that were found out before their body was read. */
  const identified = new WeakMap<object, Promise<GraphqlContext>>()
  // Loaded at the first request: a service that is used by REST alone starts faster and smaller.
  const graphqlFetch = once(async () =>
    (await import('./graphql/server/yoga.ts')).createGraphqlFetch({
      schema,
      context: (facts) => {
        const known = facts.record && identified.get(facts.record)
        // Once: a subscription asks again later.
        if (facts.record) identified.delete(facts.record)
        return known ?? context(facts)
      },
      principalOf: ({ session }) => session?.principalId ?? null,
      log,
      writeOf: write,
      maxCost,
      documents: { accepted, manifest },
    }),
  )
  const graphql = createGraphqlHandler({
    fetch: async (request, original) => (await graphqlFetch())(request, original),
    identify: ({ headers, target, record }) => {
      const query = new URLSearchParams(splitTarget(target).query)
      const found = context({ headers, query, requestId: requestIdOf(headers), followsSeq: true, record })
      identified.set(record, found)
      return found
    },
    brand,
    log,
    allowedOrigins,
    publicOrigin,
    extensions: costExtension(0, maxCost),
    playground: accepted === 'any',
  })

  const handle = (request: Request, remoteAddress: string | undefined) =>
    bindings.sessions.handle(request, remoteAddress, domain.isInvited)
  const signIn = createAuthHandler({ handle, brand, log, allowedOrigins, publicOrigin })

  const exports = createExportHandler({ open: domain.openExport, log, allowedOrigins })

  const uploads = createUploadHandler({ receive: domain.receiveUpload, log, allowedOrigins })
  const sources = createSourceHandler({ open: domain.openSource, log, allowedOrigins })

  const https = publicOrigin?.startsWith('https:') ?? false
  const pages = config.console
    ? { build: readBuild(consoleDirectory, { brand, brandName: config.brandName }), https, log }
    : null
  const rest = pages === null ? shim : withConsole(shim, pages)
  const auth = pages === null ? signIn : withFailedSignIn(signIn, pages)

  const oauth = config.signIn.kind === 'off' ? [] : createOauthMounts(oauthOptions(runtime, config.signIn))

  let leaving = false
  // The same for every caller, so it is written once, when the first one asks.
  let description: string | undefined
  const describe: Handler = async () => {
    description ??= JSON.stringify(openapi(routes, { schema, shapes }, { version, brand }))
    return { ...json(200, null), body: description }
  }
  const router = createRouter(
    [
      { path: '/graphql', handler: withCompression(graphql) },
      { path: '/mcp', handler: withCompression(mcp) },
      ...oauth,
      { path: '/dify/', route: null, handler: withCompression(createDifyEndpoint(surface)) },
      { path: '/openai/', route: null, handler: withCompression(openAi) },
      { path: '/api/auth/', route: null, handler: auth },
      { path: '/exports/', route: '/exports/{token}', handler: withCompression(exports) },
      { path: '/uploads/', route: '/uploads/{token}', handler: uploads },
      { path: '/sources/', route: '/sources/{token}', handler: sources },
      { path: '/openapi.json', handler: withCompression(describe) },
      ...createReferenceMounts({ brand, https, log }),
      { path: '/livez', handler: livez },
      { path: '/readyz', handler: createReadyz(domain.checkCatalog, { log, isLeaving: () => leaving }) },
    ],
    withCompression(rest),
  )
  const leave = () => {
    leaving = true
  }
  const handler = withHead(router)
  return { handler, fetch: toFetch(handler), leave }
}

/** What the OAuth endpoints get of the service. */
function oauthOptions(
  { config, domain, bindings }: Runtime,
  signIn: Extract<SignInConfig, { kind: 'on' }>,
): OauthOptions {
  const { brand, brandName, publicOrigin, allowedOrigins } = config
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
    ...{ brand, brandName, publicOrigin, allowedOrigins, log: bindings.log },
  }
}
