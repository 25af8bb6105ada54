import { z } from 'zod'
import { explainInput } from '../domain/explain/explain-input.ts'
import { compactionInput, resetVectorsInput } from '../domain/indexing/compaction-input.ts'
import { idInput } from '../domain/input/fields.ts'
import { pageInput } from '../domain/input/page.ts'
import { keyInput } from '../domain/keys/key-input.ts'
import { seriesInput } from '../domain/stats/series-input.ts'
import { administers, anything, everything, type Operation, reads } from './operation.ts'

export const service = {
  health: {
    kind: 'query',
    description: 'Public. The state of the service, and the engines that it uses.',
    needs: null,
    reach: 'clamped',
    open: 'public',
    rest: {
      route: 'GET /v1/health',
      answer: 'status service version time bindings { catalog vector_index object_store key_value inference }',
      auth: 'none',
    },
  },
  context: {
    kind: 'query',
    description: 'The resolved enforcement context of this request.',
    needs: null,
    reach: 'clamped',
    rest: { route: 'GET /v1/context' },
    tool: {
      name: 'whoami',
      title: 'Who am I',
      description: 'Returns the principal, the scopes that it may use, and the tier of the namespace.',
      input: z.strictObject({}),
      output: z.object({ context: anything, tier: z.string() }),
    },
  },
  signInOptions: {
    kind: 'query',
    description: 'Public. How people can sign in.',
    needs: null,
    reach: 'clamped',
    open: 'public',
  },
} satisfies Record<string, Operation>

export const demo = {
  seed: {
    kind: 'mutation',
    description:
      'Creates or resets the demo dataset and rotates its tokens. Needs no credential while no principal exists, then an admin of `demo`. Pages of other origins may not call it.',
    needs: everything,
    reach: 'seed',
    open: 'first run',
    rest: {
      route: 'POST /v1/admin/seed',
      answer: 'principals { principal_id namespace tier scope perms groups read_only } scopes tokens counts',
      auth: 'optional',
      body: 'optional',
      ownOrigin: true,
    },
  },
} satisfies Record<string, Operation>

export const access = {
  viewer: {
    kind: 'query',
    description: 'Who is calling, with which credential, and the namespaces that it may enter.',
    needs: null,
    reach: 'clamped',
  },
  apiKeys: {
    kind: 'query',
    description:
      'The keys of the calling principal, oldest first. A restricted key sees only keys within its own restrictions.',
    args: pageInput('Offset among those that the calling key may see.'),
    needs: null,
    reach: 'clamped',
  },
  createApiKey: {
    kind: 'mutation',
    description:
      'Creates an API key of the calling principal. A principal may have at most 100. A restricted key can only create keys within its own restrictions.',
    input: keyInput.describe('The key.'),
    needs: null,
    reach: 'clamped',
  },
  revokeApiKey: {
    kind: 'mutation',
    description: 'Revokes a key of the calling principal at once. Other keys are not found.',
    args: idInput('The id of the key.'),
    needs: null,
    reach: 'clamped',
  },
  agentConnections: {
    kind: 'query',
    description: 'The agents that the signed-in person has connected, oldest first. API keys may not use it.',
    needs: null,
    reach: 'clamped',
  },
  revokeAgentConnection: {
    kind: 'mutation',
    description: 'Ends a connection of the signed-in person at once. Other connections are not found.',
    args: idInput('The id of the connection.'),
    needs: null,
    reach: 'clamped',
  },
  explainAccess: {
    kind: 'query',
    description:
      'Explains why a principal may or may not read and change a Unit, or the contents of a scope. Units that the caller may not read are not found, nor are principals without home or grant in the namespace. Needs an admin principal. It is audited.',
    args: explainInput,
    needs: administers,
    reach: 'clamped',
  },
} satisfies Record<string, Operation>

export const indexes = {
  catalogStats: {
    kind: 'query',
    description: 'Statistics of the whole namespace.',
    needs: null,
    reach: 'clamped',
    rest: {
      route: 'GET /v1/catalog/stats',
      answer: `namespace scope planes { plane model dims metric vectors indexed lag health } queries_per_day
      storage { object_store_gb catalog_rows vectors }`,
    },
  },
  usageSeries: {
    kind: 'query',
    description:
      'What the whole namespace did, in every hour or day of a range of at most 2,000 of them. It is kept for 400 days.',
    args: seriesInput,
    needs: null,
    reach: 'clamped',
  },
  compaction: {
    kind: 'query',
    description: 'Index freshness. Needs `read`.',
    needs: reads,
    reach: 'clamped',
    rest: { route: 'GET /v1/compaction', answer: 'namespace planes { plane indexed pending lag health }' },
  },
  compact: {
    kind: 'mutation',
    description:
      'Adds what the indexes lack of the catalog, and removes what the catalog no longer has. Needs an admin principal.',
    input: compactionInput.prefault({}).describe('What to reconcile.'),
    needs: administers,
    reach: 'planes',
    weight: 500,
    rest: {
      route: 'POST /v1/compaction',
      answer: 'planes { plane added removed unchanged took_ms } seq',
      body: 'optional',
      example: { planes: ['text'] },
    },
  },
  resetVectors: {
    kind: 'mutation',
    description:
      "Removes the vectors that callers sent for a plane (model `own`) from all of its Units, which are embedded by the plane's model instead. Then the plane's dimensions are free again. Needs an admin principal.",
    args: resetVectorsInput,
    needs: administers,
    reach: 'planes',
    weight: 500,
  },
} satisfies Record<string, Operation>
