import { z } from 'zod'
import { groupChange, groupMembersInput, groupRenaming, groupsInput } from '../domain/groups/group-input.ts'
import { idInput } from '../domain/input/fields.ts'
import { pageInput } from '../domain/input/page.ts'
import { invitationInput, tokenInput } from '../domain/invitations/invitation-input.ts'
import {
  adminInput,
  grantInput,
  namespaceInput,
  namespaceName,
  namespaceUpdate,
  principalInput,
  principalUpdate,
  tierInput,
  transferInput,
} from '../domain/registries/registry-input.ts'
import { newScope, scopeInput, scopeUpdate } from '../domain/scopes/scope-input.ts'
import { synonymsInput } from '../domain/search/synonyms-input.ts'
import { administers, administersScope, anything, type Operation, place, shapes, writes } from './operation.ts'

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
      input: z.strictObject({ cursor: place('Where to go on, as `cut` says.') }),
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

export const registries = {
  namespaces: {
    kind: 'query',
    description: "The caller's home namespace and every namespace in which it has a grant, by name.",
    args: pageInput('Offset from the first.'),
    needs: null,
    reach: 'clamped',
    rest: { route: 'GET /v1/namespaces', answer: 'namespaces', wholeLists: true },
  },
  createNamespace: {
    kind: 'mutation',
    description:
      "Registers or claims a namespace. If the caller's home namespace has no scopes yet, the new namespace becomes its home. Names that are taken, reserved or deleted give the same error, 403.",
    input: namespaceInput.describe('The namespace.'),
    needs: null,
    reach: 'account',
    rest: { route: 'POST /v1/namespaces', example: { namespace: 'lighthouse' } },
  },
  namespace: {
    kind: 'query',
    description: 'One namespace. Needs an admin principal of it; anything else is forbidden, existing or not.',
    args: namespaceName,
    needs: administers,
    reach: 'clamped',
    rest: { route: 'GET /v1/namespaces/:ns', args: { name: ':ns' }, tagged: true },
  },
  deleteNamespace: {
    kind: 'mutation',
    description:
      'Removes a namespace with its scopes, grants, principals and Units; its name is never reissued. Needs an admin principal of it: the owner itself, if it has one, or the super-admin. Refused where another owner is homed in it, or where another namespace would lose its last admin principal.',
    args: namespaceName,
    needs: administers,
    reach: 'tenant',
    rest: { route: 'DELETE /v1/namespaces/:ns', args: { name: ':ns' }, answer: 'deleted scopes grants principals' },
  },
  updateNamespace: {
    kind: 'mutation',
    description:
      'Changes the settings of a namespace, from the next request on. Needs an admin principal of it; anything else is forbidden, existing or not.',
    input: namespaceUpdate.describe('The changes.'),
    needs: administers,
    reach: 'settings',
  },
  synonyms: {
    kind: 'query',
    description: 'What searches of the namespace take for equal. Needs an admin principal.',
    needs: administers,
    reach: 'namespace',
  },
  setSynonyms: {
    kind: 'mutation',
    description:
      'Replaces the synonyms of the namespace, from the next search on. A namespace may have at most 1,000 groups and rules. Needs an admin principal.',
    input: synonymsInput.describe('All of them.'),
    needs: administers,
    reach: 'namespace',
  },
  transferNamespace: {
    kind: 'mutation',
    description:
      "Makes an admin principal of a registered namespace its owner; agents and read-only principals cannot be. The former owner keeps its grants. Only the owner and the super-admin may. The namespace counts towards the `maxNamespaces` of the new owner's home namespace.",
    input: transferInput.describe('The namespace and its new owner.'),
    needs: null,
    reach: 'account',
  },
  setTier: {
    kind: 'mutation',
    description:
      'Sets the tier of a namespace. A higher tier that is paid for stays in effect while it lasts, and no payment lowers the one that is set. Only the super-admin may.',
    args: tierInput,
    needs: null,
    reach: 'clamped',
  },
  grantAdmin: {
    kind: 'mutation',
    description:
      'Makes a person who has signed up an admin principal of a namespace. Without effect for one who is. Only the super-admin may.',
    args: adminInput,
    needs: null,
    reach: 'clamped',
  },
  grants: {
    kind: 'query',
    description: "The namespace's grants, oldest first. Needs an admin principal.",
    args: pageInput('Offset from the oldest.'),
    needs: administers,
    reach: 'clamped',
    rest: { route: 'GET /v1/grants', answer: 'grants', wholeLists: true },
  },
  createGrant: {
    kind: 'mutation',
    description:
      'Gives a principal permissions in the namespace. Needs an admin principal, who can only grant permissions that it holds.',
    input: grantInput.describe('The grant.'),
    needs: administers,
    reach: 'grant',
    rest: {
      route: 'POST /v1/grants',
      example: { principal_id: 'ada', scope: 'harbour', perms: ['read'], groups: ['crew'] },
    },
  },
  grant: {
    kind: 'query',
    description: 'One grant of the namespace. Needs an admin principal.',
    args: idInput(),
    needs: administers,
    reach: 'clamped',
    rest: { route: 'GET /v1/grants/:id', tagged: true },
  },
  deleteGrant: {
    kind: 'mutation',
    description: 'Removes a grant, but not the last grant of `admin` on `*`. Needs an admin principal.',
    args: idInput(),
    needs: administers,
    reach: 'access',
    rest: { route: 'DELETE /v1/grants/:id', answer: 'deleted' },
  },
  principals: {
    kind: 'query',
    description: 'The principals of the namespace, oldest first. Needs an admin principal.',
    args: pageInput('Offset from the oldest.'),
    needs: administers,
    reach: 'clamped',
    rest: { route: 'GET /v1/principals', answer: 'principals', wholeLists: true },
  },
  createPrincipal: {
    kind: 'mutation',
    description: 'Creates a principal of the namespace, with a token. Needs an admin principal.',
    input: principalInput.describe('The principal.'),
    needs: administers,
    reach: 'member',
    rest: {
      route: 'POST /v1/principals',
      answer: `${shapes.Principal} token`,
      example: { name: 'Crawler', kind: 'service', groups: ['crew'] },
    },
  },
  principal: {
    kind: 'query',
    description: 'One principal of the namespace. Needs an admin principal.',
    args: idInput('The principal id.'),
    needs: administers,
    reach: 'clamped',
    rest: { route: 'GET /v1/principals/:id', tagged: true },
  },
  updatePrincipal: {
    kind: 'mutation',
    description:
      'Changes a principal of the namespace, from its next request on. Needs an admin principal, who can only add groups it belongs to; the owner can add any. The name of a person comes from the sign-in.',
    args: principalUpdate,
    needs: administers,
    reach: 'access',
  },
  deletePrincipal: {
    kind: 'mutation',
    description:
      'Removes a principal of the namespace with its tokens and all its grants, but not the last admin principal. Needs an admin principal.',
    args: idInput('The principal id.'),
    needs: administers,
    reach: 'access',
    rest: { route: 'DELETE /v1/principals/:id', answer: 'deleted tokens grants' },
  },
} satisfies Record<string, Operation>

export const groups = {
  groups: {
    kind: 'query',
    description:
      'The groups of the namespace, by name: those that a principal, a grant or a Unit that the caller may read names. Needs an admin principal.',
    args: groupsInput,
    needs: administers,
    reach: 'clamped',
  },
  groupMembers: {
    kind: 'query',
    description: 'Who is in a group, also through other groups and by grants, by id. Needs an admin principal.',
    args: groupMembersInput,
    needs: administers,
    reach: 'clamped',
  },
  changeGroup: {
    kind: 'mutation',
    description:
      'Changes who is in a group, from their next request on. Groups may hold groups, at most 16 deep and never in a circle. Needs an admin principal, who can only add to groups it belongs to; the owner can add to any.',
    args: groupChange,
    needs: administers,
    reach: 'access',
  },
  renameGroup: {
    kind: 'mutation',
    description:
      'Gives a group another name, of its members and of Units in one step. Needs an admin principal who belongs to it, or the owner.',
    args: groupRenaming,
    needs: administers,
    reach: 'access',
  },
} satisfies Record<string, Operation>

export const invitations = {
  invitation: {
    kind: 'query',
    description:
      'Public. What the link with this token offers. The same 404 for a token that is unknown, used, revoked or expired, and if its maker could not make it any more.',
    args: tokenInput,
    needs: null,
    reach: 'clamped',
    open: 'public',
  },
  invitations: {
    kind: 'query',
    description: "The namespace's invitations, oldest first. Needs an admin principal.",
    args: pageInput('Offset from the oldest.'),
    needs: administers,
    reach: 'clamped',
  },
  createInvitation: {
    kind: 'mutation',
    description:
      'Makes a link that gives a grant to the person who accepts it, once. Needs an admin principal, who can only offer what it holds. A namespace may have at most 100 open invitations.',
    input: invitationInput.describe('The invitation.'),
    needs: administers,
    reach: 'grant',
  },
  acceptInvitation: {
    kind: 'mutation',
    description:
      'Gives the caller the grant of an invitation, once. Needs a signed-in person, or a key of a `user` without restrictions. The same 404 for every token that does not work.',
    args: tokenInput,
    needs: null,
    reach: 'account',
  },
  revokeInvitation: {
    kind: 'mutation',
    description: 'Ends an open invitation. Needs an admin principal.',
    args: idInput(),
    needs: administers,
    reach: 'access',
  },
} satisfies Record<string, Operation>
