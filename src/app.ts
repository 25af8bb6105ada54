import type { DocumentNode } from 'graphql'
import { createContextFactory, type GraphqlContext } from './graphql/builder/context.ts'
import { prepareOperation } from './graphql/prepared/prepare-operation.ts'
import { schema } from './graphql/schema.ts'
import { costExtension } from './graphql/server/cost-limit.ts'
import { createGraphqlFetch } from './graphql/server/yoga.ts'
import { createAuthHandler } from './http/auth.ts'
import { isForeignPage } from './http/csrf.ts'
import { createExportHandler } from './http/exports.ts'
import { type Fetch, toFetch } from './http/fetch.ts'
import { createGraphqlHandler } from './http/graphql.ts'
import { withHead } from './http/head-requests.ts'
import { json } from './http/json.ts'
import { createMcpEndpoint } from './http/mcp/endpoint.ts'
import type { Handler } from './http/message.ts'
import { createReadyz, livez } from './http/probes.ts'
import { openapi } from './http/rest/openapi.ts'
import { routes } from './http/rest/routes/all.ts'
import { createShim } from './http/rest/shim.ts'
import { createRouter } from './http/router.ts'
import { createSourceHandler } from './http/sources/sources.ts'
import { createUploadHandler } from './http/sources/uploads.ts'
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

/** REST under /v1 and GraphQL at /graphql, over one runtime, plus sign-in, API descriptions and probes. */
export function createApp({ config, domain, bindings }: Runtime): App {
  const { brand, allowedOrigins, maxGraphqlCost } = config
  const { log } = bindings
  const ownOrigins = config.publicOrigin === null ? allowedOrigins : [...allowedOrigins, config.publicOrigin]
  const context = createContextFactory(domain, brand, (headers) => isForeignPage(headers, ownOrigins))

  const api = { schema, context, prepare: (document: DocumentNode) => prepareOperation(schema, document) }

  const shim = createShim({ routes, brand, log, allowedOrigins, ownOrigins, graphql: api })

  const mcp = createMcpEndpoint({
    graphql: api,
    callerOf: ({ session }: GraphqlContext) => ({
      tier: session?.namespace.tier ?? 'free',
      mayRead: session?.scopesWith('read').some ?? false,
      mayWrite: session?.mayUnder('write', session.requestedScope) ?? false,
    }),
    brand,
    version,
    publicOrigin: config.publicOrigin,
    allowedOrigins,
    log,
  })

  const graphql = createGraphqlHandler({
    fetch: createGraphqlFetch({ schema, context, log, maxCost: maxGraphqlCost, playground: true }),
    brand,
    log,
    allowedOrigins,
    extensions: costExtension(0, maxGraphqlCost),
  })

  const auth = createAuthHandler({ handle: bindings.sessions.handle, brand, log, allowedOrigins })

  const exports = createExportHandler({ open: domain.openExport, log, allowedOrigins })

  const uploads = createUploadHandler({ receive: domain.receiveUpload, log, allowedOrigins })
  const sources = createSourceHandler({ open: domain.openSource, log, allowedOrigins })

  let leaving = false
  // Sent to every caller, so it is written once, however long it is.
  const description = { ...json(200, null), body: JSON.stringify(openapi(routes, schema, { version, brand })) }
  const router = createRouter(
    [
      { path: '/graphql', handler: graphql },
      { path: '/mcp', handler: mcp },
      { path: '/api/auth/', route: null, handler: auth },
      { path: '/exports/', route: '/exports/{token}', handler: exports },
      { path: '/uploads/', route: '/uploads/{token}', handler: uploads },
      { path: '/sources/', route: '/sources/{token}', handler: sources },
      { path: '/openapi.json', handler: async () => description },
      { path: '/livez', handler: livez },
      { path: '/readyz', handler: createReadyz(domain.checkCatalog, { log, isLeaving: () => leaving }) },
    ],
    shim,
  )
  const leave = () => {
    leaving = true
  }
  const handler = withHead(router)
  return { handler, fetch: toFetch(handler), leave }
}
