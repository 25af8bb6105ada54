import { invitationStates } from '../../domain/invitations/invitations.ts'
import type { NamespaceView } from '../../domain/registries/namespaces.ts'
import { groupSources } from '../../model/groups.ts'
import { type PrincipalRecord, principalKinds, type Synonyms } from '../../model/registry.ts'
import { tierNames } from '../../model/tiers.ts'
import { builder } from '../builder/builder.ts'
import { pages, runs, runsOpenly } from '../builder/root-fields.ts'
import {
  addName,
  boolean,
  enumType,
  exposed,
  int,
  list,
  nullable,
  objectType,
  of,
  pageType,
  safeInt,
  string,
  strings,
} from '../builder/types.ts'
import { HiddenCountEnum, PermissionEnum, PlaneEnum } from './common.ts'

const ScopeRef = objectType('Scope', 'A registered scope: a path-like partition of a namespace.', {
  scope: string('The path, such as `acme/backend`.'),
  namespace: string('The owning namespace.'),
  parent: nullable(string('A registered scope above it: the nearest one, unless an update selected another or none.')),
  planes: list(PlaneEnum, 'Planes enabled for the scope.'),
  readOnlyAgents: boolean('Agents may only read here and below, whatever their grants.'),
  createdAt: safeInt('Epoch milliseconds.'),
})

const ScopePageRef = pageType('ScopePage', 'scopes', ScopeRef, {
  page: "A page of a namespace's scopes.",
  items: 'By path.',
})

const ScopeDeletionRef = objectType(
  'ScopeDeletion',
  'What deleting a scope removed. Units are not counted: some may be hidden from the caller.',
  {
    deleted: boolean('Always true.'),
    scopes: int('Registered scopes removed, the subtree included.'),
    grants: int('Grants on them removed.'),
  },
)

pages('scopes', ScopePageRef, (range, services) => services.scopes.list(range))

runs('scope', ScopeRef, ({ scope }, services) => services.scopes.get(scope))

runs('createScope', ScopeRef, ({ scope }, services) => services.scopes.create(scope))

runs('updateScope', ScopeRef, ({ scope, input }, services) => services.scopes.update(scope, input))

runs('deleteScope', ScopeDeletionRef, ({ scope }, services) => services.scopes.delete(scope))

export const NamespaceRef = builder.objectRef<NamespaceView>('Namespace').implement({
  description: 'A tenant, with its own scopes, Units and principals.',
  fields: (t) => ({
    ...exposed<NamespaceView>(t, {
      tier: string('`free`, `pro` or `enterprise`.'),
      owner: nullable(string('The principal that claimed it.')),
      home: boolean("Whether it is the caller's home namespace."),
      registered: boolean('False for a home namespace that was created for a console user and not claimed.'),
      planes: list(PlaneEnum, 'Planes that its tier includes.'),
      maxNamespaces: nullable(
        int(
          'Maximum number of registered namespaces that the principals of this home namespace may own together, including this one; null for no limit.',
        ),
      ),
      hiddenCount: of(HiddenCountEnum, 'The most that answers say of hidden Units. A key may set less.'),
      createdAt: safeInt('Epoch milliseconds.'),
    }),
    namespace: t.exposeString('name', { description: 'The name.' }),
  }),
})

const OneWaySynonymRef = builder.objectRef<Synonyms['oneWay'][number]>('OneWaySynonym').implement({
  description: 'What a query with a word or phrase finds as well, but not the reverse.',
  fields: (t) => ({
    from: t.exposeString('from', { description: 'A word or phrase of a query.' }),
    to: t.stringList({ description: 'What is found as well.', resolve: ({ to }) => [...to] }),
  }),
})

const SynonymsRef = builder.objectRef<Synonyms>('Synonyms').implement({
  description: 'What searches of a namespace take for equal: a synonym weighs .8 of the word that it stands for.',
  fields: (t) => ({
    groups: t.field({
      type: t.listRef(t.listRef('String')),
      description: 'Words or phrases: each stands for all others of its group.',
      resolve: ({ groups }) => groups.map((group) => [...group]),
    }),
    oneWay: t.field({
      type: [OneWaySynonymRef],
      description: 'Those that stand for others, but not the reverse.',
      resolve: ({ oneWay }) => oneWay,
    }),
  }),
})

runs('synonyms', SynonymsRef, (_, services) => services.synonyms.get())

runs('setSynonyms', SynonymsRef, (args, services) => services.synonyms.set(args))

const NamespacePageRef = pageType('NamespacePage', 'namespaces', NamespaceRef, {
  page: "A page of the caller's namespaces.",
  items: 'By name.',
})

enumType('Tier', 'What a namespace may use, and how much.', tierNames, {
  free: 'Two planes and a limited number of documents.',
  pro: 'All planes, answers, reranking and the audit log.',
  enterprise: 'Proofs of the audit log as well.',
})

const NamespaceDeletionRef = objectType(
  'NamespaceDeletion',
  'What deleting a namespace removed. Units are not counted.',
  {
    deleted: boolean('Always true.'),
    scopes: int('Registered scopes removed.'),
    grants: int('Grants in the namespace removed.'),
    principals: int('Principals homed in it removed.'),
  },
)

pages('namespaces', NamespacePageRef, (range, services) => services.namespaces.list(range))

runs('namespace', NamespaceRef, ({ name }, services) => services.namespaces.get(name))

runs('createNamespace', NamespaceRef, ({ namespace }, services) => services.namespaces.create(namespace))

runs('updateNamespace', NamespaceRef, (input, services) => services.namespaces.update(input))

runs('transferNamespace', NamespaceRef, (input, services) => services.namespaces.transfer(input))

runs('setTier', NamespaceRef, (input, services) => services.operator.setTier(input))

runs('deleteNamespace', NamespaceDeletionRef, ({ name }, services) => services.namespaces.delete(name))

const GrantRef = objectType('Grant', 'Permissions of a principal on a scope and all below it.', {
  id: string('Its id.'),
  principalId: string('The principal that holds it.'),
  namespace: string('The namespace in which it applies.'),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What it allows.'),
  groups: strings(
    "The principal's groups in the scopes that this grant covers with `read`, if the namespace is not its home namespace.",
  ),
  grantedBy: string('The principal that granted it.'),
  createdAt: safeInt('Epoch milliseconds.'),
  expiresAt: nullable(
    safeInt('Epoch milliseconds: the grant expires with the key that created it. Null if it does not expire.'),
  ),
})

addName(GrantRef, 'principalName', 'the principal that holds it', ({ principalId }) => principalId)
addName(GrantRef, 'grantedByName', 'the principal that granted it', ({ grantedBy }) => grantedBy)

const GrantPageRef = pageType('GrantPage', 'grants', GrantRef, {
  page: "A page of a namespace's grants.",
  items: 'Oldest first.',
})

const GrantDeletionRef = objectType('GrantDeletion', 'The result of removing a grant.', {
  deleted: boolean('Always true.'),
})

pages('grants', GrantPageRef, (range, services) => services.grants.list(range))

runs('grant', GrantRef, ({ id }, services) => services.grants.get(id))

runs('createGrant', GrantRef, (input, services) => services.grants.create(input))

runs('grantAdmin', GrantRef, (input, services) => services.operator.grantAdmin(input))

runs('deleteGrant', GrantDeletionRef, ({ id }, services) => services.grants.delete(id))

const PrincipalKindEnum = enumType('PrincipalKind', 'The kind of a principal.', principalKinds, {
  user: 'A person.',
  agent: 'A program that acts autonomously. Some scopes are read-only for it.',
  service: 'A system.',
})

const GroupSourceEnum = enumType('GroupSource', 'Where the members of a group come from.', groupSources, {
  manual: 'Admins put them there.',
  scim: "A company's directory, by SCIM.",
  idp: 'An identity provider, at each sign-in.',
})

const GroupRef = objectType('Group', 'A group of principals, to which Units can be open.', {
  name: string('Its name.'),
  displayName: nullable(string('A name for people to read; null without one.')),
  members: safeInt('How many principals are in it, also through other groups and by grants.'),
  groups: strings('The groups that it holds, by name: their members are in it, too.'),
  units: safeInt('How many Units name it, of those that the caller may read.'),
  source: of(GroupSourceEnum, 'Where its members come from.'),
})

const GroupPageRef = pageType('GroupPage', 'groups', GroupRef, {
  page: "A page of a namespace's groups.",
  items: 'By name.',
})

const GroupMemberRef = objectType('GroupMember', 'A principal in a group.', {
  principalId: string('Its id.'),
  name: nullable(string('Its name; null without one.')),
  kind: of(PrincipalKindEnum, 'Its kind.'),
  direct: boolean('False if it is in the group only through other groups.'),
})

const GroupMemberPageRef = pageType('GroupMemberPage', 'members', GroupMemberRef, {
  page: 'A page of the principals in a group.',
  items: 'By id.',
})

runs('groups', GroupPageRef, (input, services) => services.groups.list(input))

runs('groupMembers', GroupMemberPageRef, (input, services) => services.groups.members(input))

runs('changeGroup', GroupRef, (input, services) => services.groups.change(input))

runs('renameGroup', GroupRef, (input, services) => services.groups.rename(input))

const StateEnum = enumType('InvitationState', 'What became of an invitation.', invitationStates, {
  open: 'It can be accepted.',
  accepted: 'Someone accepted it.',
  revoked: 'It was revoked, or its scope deleted.',
  expired: 'Its time ran out.',
})

const InvitationRef = objectType('Invitation', 'An offer of a grant, by a link that works once.', {
  id: string('Its id. It is not a secret.'),
  namespace: string('The namespace in which the grant will apply.'),
  email: nullable(string('The only address that it is for; null for anyone who has the link.')),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What the grant will allow.'),
  groups: strings('The groups of the grant.'),
  createdBy: string('The principal that made it.'),
  createdAt: safeInt('Epoch milliseconds.'),
  expiresAt: safeInt('Epoch milliseconds.'),
  acceptedAt: nullable(safeInt('Epoch milliseconds; null if nobody accepted it.')),
  acceptedBy: nullable(string('The principal that accepted it.')),
  revokedAt: nullable(safeInt('Epoch milliseconds; null if it was not revoked.')),
  state: of(StateEnum, 'What became of it.'),
})

addName(InvitationRef, 'createdByName', 'the principal that made it', ({ createdBy }) => createdBy)
addName(InvitationRef, 'acceptedByName', 'the principal that accepted it', ({ acceptedBy }) => acceptedBy)

const InvitationPageRef = pageType('InvitationPage', 'invitations', InvitationRef, {
  page: "A page of a namespace's invitations.",
  items: 'Oldest first, in every state.',
})

const NewInvitationRef = objectType('NewInvitation', 'A new invitation.', {
  invitation: of(InvitationRef, 'The invitation.'),
  url: string(
    'The link. It is shown only once; the service stores a SHA-256. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
})

const RevocationRef = objectType('InvitationRevocation', 'An invitation that no longer works.', {
  id: string('Its id.'),
  revoked: boolean('Always true.'),
})

pages('invitations', InvitationPageRef, (range, services) => services.invitations.list(range))

runs('createInvitation', NewInvitationRef, (input, services) => services.invitations.create(input))

runs('revokeInvitation', RevocationRef, ({ id }, services) => services.invitations.revoke(id))

const OfferRef = objectType('InvitationOffer', 'What a link offers.', {
  namespace: string('The namespace in which the grant will apply.'),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What the grant will allow.'),
  createdBy: string('The principal that made the invitation.'),
  createdByName: nullable(string('Its name; null without one.')),
  expiresAt: safeInt('Epoch milliseconds.'),
})

runsOpenly('invitation', OfferRef, ({ token }, { domain }) => domain.invitationOffer(token))

runs('acceptInvitation', GrantRef, ({ token }, services) => services.invitations.accept(token))

const PrincipalFields = builder.interfaceRef<PrincipalRecord>('PrincipalRecord').implement({
  description: 'A user, service or agent that sends requests.',
  fields: (t) =>
    exposed<PrincipalRecord>(t, {
      principalId: string('Its id. It never changes and is never reused.'),
      namespace: string('Its home namespace.'),
      name: nullable(string('For people to read; it selects nothing. Null without one.')),
      email: nullable(string('The address of a person who signs in.')),
      kind: of(PrincipalKindEnum, 'Its kind.'),
      groups: strings('Its groups in its home namespace.'),
      inheritedGroups: strings('Those of its groups that it is in only through other groups.'),
      readOnly: boolean('Whether it may only read, whatever its grants.'),
      activeScope: string('The scope of requests without a scope.'),
      createdAt: safeInt('Epoch milliseconds.'),
    }),
})

export const PrincipalRef = builder.objectRef<PrincipalRecord>('Principal').implement({
  description: 'A user, service or agent that sends requests.',
  interfaces: [PrincipalFields],
})

const PrincipalPageRef = pageType('PrincipalPage', 'principals', PrincipalRef, {
  page: "A page of a namespace's principals.",
  items: 'Oldest first.',
})

const NewPrincipalRef = builder.objectRef<PrincipalRecord & { token: string }>('NewPrincipal').implement({
  description: 'A new principal.',
  interfaces: [PrincipalFields],
  fields: (t) => exposed<{ token: string }>(t, { token: string('Its API token. It is shown only once.') }),
})

const PrincipalDeletionRef = objectType('PrincipalDeletion', 'What deleting a principal removed.', {
  deleted: boolean('Always true.'),
  tokens: int('Tokens that no longer work.'),
  grants: int('Number of its grants in the namespace. Its grants elsewhere are removed too, but not counted.'),
})

pages('principals', PrincipalPageRef, (range, services) => services.principals.list(range))

runs('principal', PrincipalRef, ({ id }, services) => services.principals.get(id))

runs('createPrincipal', NewPrincipalRef, (input, services) => services.principals.create(input))

runs('updatePrincipal', PrincipalRef, (update, services) => services.principals.update(update))

runs('deletePrincipal', PrincipalDeletionRef, ({ id }, services) => services.principals.delete(id))
