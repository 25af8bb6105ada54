import { z } from 'zod'
import { pageInput } from '../domain/input/page.ts'
import { newScope, scopeInput, scopeUpdate } from '../domain/scopes/scope-input.ts'
import { administersScope, type Operation, writes } from './operation.ts'
import { anything } from './tool.ts'

export const scopes = {
  scopes: {
    kind: 'query',
    description: 'Registered scopes that the caller may see.',
    args: pageInput('Offset among those that the caller may see.'),
    needs: null,
    reach: 'clamped',
    rest: { route: 'GET /v1/scopes', answer: 'scopes', wholeLists: true },
    tool: {
      name: 'list_scopes',
      title: 'List scopes',
      description: 'Lists the scopes that the caller may see.',
      input: z.strictObject({}),
      output: z.object({ scopes: z.array(anything) }),
      answer: 'scopes',
    },
  },
  createScope: {
    kind: 'mutation',
    description:
      'Registers a scope and grants its creator all permissions on it. Needs `write`, or `admin` if others use the scopes below.',
    input: newScope.describe('The scope.'),
    needs: writes,
    // Its creator gets all permissions on it.
    reach: 'grant',
    rest: { route: 'POST /v1/scopes', example: { scope: 'harbour' } },
  },
  scope: {
    kind: 'query',
    description: 'One registered scope; one that the caller may not see is not found.',
    args: scopeInput,
    needs: null,
    reach: 'clamped',
    rest: { route: 'GET /v1/scopes/:scope', tagged: true },
  },
  updateScope: {
    kind: 'mutation',
    description: 'Changes the settings of a scope, from the next request on. Needs `admin` on it.',
    args: scopeUpdate,
    // A null means that the scope has no parent.
    nulls: 'kept',
    needs: administersScope,
    reach: 'scope',
  },
  deleteScope: {
    kind: 'mutation',
    description: 'Removes a scope, its subtree, the grants on them and their Units. Needs `admin`.',
    args: scopeInput,
    needs: administersScope,
    reach: 'subtree',
    rest: { route: 'DELETE /v1/scopes/:scope', answer: 'deleted scopes grants' },
  },
} satisfies Record<string, Operation>
