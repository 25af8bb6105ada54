import type { Need } from './expectations.ts'
import { area, type MatrixWorld, namespace, type Role } from './world.ts'

export interface RestRequest {
  path: string
  body?: object
}

/** The required permission of a route, and a request that is valid except, maybe, for its caller. */
export interface RestRow {
  needs: Need
  request(world: MatrixWorld, role: Role): Promise<RestRequest>
}

const fixed = (needs: Need, path: string, body?: object): RestRow => ({
  needs,
  request: async () => (body === undefined ? { path } : { path, body }),
})

const encoded = encodeURIComponent

/** One row per route: `METHOD path`. */
export const restRows: Record<string, RestRow> = {
  'GET /v1/health': fixed('public', '/v1/health'),
  'GET /v1/context': fixed('authenticated', '/v1/context'),

  'GET /v1/scopes': fixed('authenticated', '/v1/scopes'),
  'POST /v1/scopes': {
    needs: 'write',
    request: async ({ fresh }) => ({ path: '/v1/scopes', body: { scope: `${area}/${fresh('new')}` } }),
  },
  'GET /v1/scopes/:scope': fixed('authenticated', `/v1/scopes/${encoded(area)}`),
  'DELETE /v1/scopes/:scope': {
    needs: 'admin',
    request: async ({ scope }) => ({ path: `/v1/scopes/${encoded(await scope())}` }),
  },

  'POST /v1/search': fixed('read', '/v1/search', { q: 'matrix' }),
  'POST /v1/answer': fixed('read', '/v1/answer', { q: 'matrix' }),

  'GET /v1/units': fixed('read', '/v1/units'),
  'GET /v1/units/:id': {
    needs: 'read',
    request: async ({ unit }) => ({ path: `/v1/units/${await unit()}` }),
  },
  'POST /v1/ingest': fixed('write', '/v1/ingest', { units: [{ text: 'matrix', scope: area }] }),
  'POST /v1/units:delete': {
    needs: 'write',
    request: async ({ unit }) => ({ path: '/v1/units:delete', body: { ids: [await unit()] } }),
  },

  'GET /v1/catalog/stats': fixed('authenticated', '/v1/catalog/stats'),
  'GET /v1/compaction': fixed('read', '/v1/compaction'),
  'POST /v1/compaction': fixed('admin principal', '/v1/compaction', { planes: ['audio'] }),

  'GET /v1/audit': fixed('read', '/v1/audit'),
  'GET /v1/audit/verify': fixed('authenticated', '/v1/audit/verify'),
  'GET /v1/audit/checkpoint': fixed('authenticated', '/v1/audit/checkpoint'),
  'GET /v1/audit/proof': fixed('authenticated', '/v1/audit/proof?from=1'),

  'GET /v1/namespaces': fixed('authenticated', '/v1/namespaces'),
  'POST /v1/namespaces': {
    needs: 'authenticated',
    request: async ({ fresh }) => ({ path: '/v1/namespaces', body: { namespace: fresh('claimed') } }),
  },
  'GET /v1/namespaces/:ns': fixed('admin principal', `/v1/namespaces/${namespace}`),
  'DELETE /v1/namespaces/:ns': {
    needs: 'admin principal',
    request: async (world) => ({ path: `/v1/namespaces/${await world.namespace()}` }),
  },

  'GET /v1/grants': fixed('admin principal', '/v1/grants'),
  'POST /v1/grants': {
    needs: 'admin principal',
    request: async ({ principal }) => ({
      path: '/v1/grants',
      body: { principal_id: await principal(), scope: area, perms: ['read'] },
    }),
  },
  'GET /v1/grants/:id': {
    needs: 'admin principal',
    request: async ({ grant }) => ({ path: `/v1/grants/${await grant()}` }),
  },
  'DELETE /v1/grants/:id': {
    needs: 'admin principal',
    request: async ({ grant }) => ({ path: `/v1/grants/${await grant()}` }),
  },

  'GET /v1/principals': fixed('admin principal', '/v1/principals'),
  'POST /v1/principals': fixed('admin principal', '/v1/principals', { kind: 'agent' }),
  'GET /v1/principals/:id': {
    needs: 'admin principal',
    request: async ({ principal }) => ({ path: `/v1/principals/${await principal()}` }),
  },
  'DELETE /v1/principals/:id': {
    needs: 'admin principal',
    request: async ({ principal }) => ({ path: `/v1/principals/${await principal()}` }),
  },

  'GET /v1/billing/plans': fixed('public', '/v1/billing/plans'),
  'POST /v1/billing/checkout': fixed('paying, without a provider', '/v1/billing/checkout', {
    tier: 'pro',
    cadence: 'monthly',
  }),
  'GET /v1/billing/subscription': fixed('authenticated', '/v1/billing/subscription'),
  'POST /v1/billing/portal': fixed('paying, without a provider', '/v1/billing/portal', {}),
  'POST /v1/billing/webhook': fixed('webhook signature', '/v1/billing/webhook', {}),
  'POST /v1/billing/reconcile': fixed('cron secret', '/v1/billing/reconcile'),
  'GET /v1/benchmarks': fixed('authenticated', '/v1/benchmarks'),
  'GET /v1/eval': fixed('authenticated', '/v1/eval'),

  'POST /v1/admin/seed': fixed('admin of demo', '/v1/admin/seed', {}),
}
