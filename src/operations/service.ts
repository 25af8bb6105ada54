import { z } from 'zod'
import { everything, type Operation } from './operation.ts'
import { anything } from './tool.ts'

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
