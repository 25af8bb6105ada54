import { everything, type Operation } from './operation.ts'

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
