import { credentialKinds } from '../../domain/registries/viewer.ts'
import { reasonCodes, reasonEffects } from '../../model/explanation.ts'
import { signUpKinds } from '../../ports/access/sessions.ts'
import type { ApiKey } from '../../ports/catalog.ts'
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
import { NamespaceRef, PrincipalRef } from './registries.ts'

const ContextPrincipalRef = objectType('ContextPrincipal', 'Who is calling.', {
  principalId: string('Immutable id of the principal.'),
  namespace: string('Its home namespace.'),
  readOnly: boolean('Whether it has only the permission `read`, whatever its grants.'),
  groups: strings('The groups that count in the requested scope; for `*`, those that count anywhere in the namespace.'),
})

export const ContextRef = objectType('Context', 'The resolved enforcement context of a request.', {
  principal: of(ContextPrincipalRef, 'Who is calling.'),
  activeScope: string('The scope that the request is bound to.'),
  requestedScope: string('The requested scope; `*` is everything allowed.'),
  effectiveScopes: strings(
    'The requested scope and its registered descendants, where `read` is held; none where the requested scope may not be read.',
  ),
  allowedScopes: strings('Registered scopes that the caller may see.'),
  perms: list(PermissionEnum, "The caller's permissions on the requested scope, for display."),
  foldersVisible: int('How many registered scopes the caller may see.'),
  foldersTotal: int('How many scopes the namespace has registered.'),
})

runs('context', ContextRef, (_, services) => services.context())

const SignUpEnum = enumType('SignUp', 'Who may sign up by e-mail.', signUpKinds, {
  open: 'Everyone.',
  domains: 'People with an e-mail address of certain domains.',
  closed: 'No one without an invitation.',
})

const SignInOptionsRef = objectType('SignInOptions', 'What to offer to someone who is not signed in.', {
  firstRun: boolean('Whether `seed` works without a credential now.'),
  email: boolean('Whether people sign in by e-mail and password.'),
  signUp: of(SignUpEnum, 'Who may sign up by e-mail.'),
  oidc: boolean('Whether people sign in by OpenID Connect.'),
  passwordReset: boolean('Whether `POST /api/auth/request-password-reset` mails a link that sets a new password.'),
  brand: string('The name in headers, tokens and the session cookie.'),
})

runsOpenly('signInOptions', SignInOptionsRef, (_, { domain }) => domain.signInOptions())

const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey').implement({
  description:
    "An API key of a principal. It has the principal's current permissions, limited by its own restrictions.",
  fields: (t) => ({
    ...exposed<ApiKey>(t, {
      id: string('Identifies the key. It is not a secret.'),
      name: string('The chosen name. It is part of the token.'),
      createdAt: safeInt('Epoch milliseconds.'),
      lastUsedAt: nullable(safeInt('Epoch milliseconds, recorded about once a minute; null if never used.')),
      expiresAt: nullable(safeInt('Epoch milliseconds; null if it does not expire.')),
    }),
    perms: t.field({
      type: [PermissionEnum],
      nullable: true,
      description: "The only permissions that it has; null if it has all of the principal's.",
      resolve: ({ restrictions }) => restrictions.perms ?? null,
    }),
    scopePrefix: t.string({
      nullable: true,
      description: 'It may use only this scope and those below it; null if it may use all scopes of the principal.',
      resolve: ({ restrictions }) => restrictions.scopePrefix ?? null,
    }),
    planes: t.field({
      type: [PlaneEnum],
      nullable: true,
      description: 'The only planes that it may use; null if it may use all enabled planes.',
      resolve: ({ restrictions }) => restrictions.planes ?? null,
    }),
    groups: t.stringList({
      nullable: true,
      description: 'The only groups of the principal that count; null if all count.',
      resolve: ({ restrictions }) => restrictions.groups ?? null,
    }),
    hiddenCount: t.field({
      type: HiddenCountEnum,
      nullable: true,
      description: 'The most that it learns of hidden Units; null if the setting of the namespace decides alone.',
      resolve: ({ restrictions }) => restrictions.hiddenCount ?? null,
    }),
  }),
})

const ApiKeyPageRef = pageType('ApiKeyPage', 'keys', ApiKeyRef, {
  page: "A page of a principal's keys.",
  items: 'Oldest first.',
})

const NewKeyRef = objectType('NewApiKey', 'A new API key.', {
  key: of(ApiKeyRef, 'The key.'),
  token: string('The bearer token. It is shown only once; the service stores its SHA-256.'),
})

const KeyRevocationRef = objectType('ApiKeyRevocation', 'A key that no longer works.', {
  revoked: boolean('Always true.'),
  id: string('The id of the key.'),
})

pages('apiKeys', ApiKeyPageRef, (range, services) => services.keys.list(range))

runs('createApiKey', NewKeyRef, (input, services) => services.keys.create(input))

runs('revokeApiKey', KeyRevocationRef, ({ id }, services) => services.keys.revoke(id))

const AgentConnectionRef = objectType(
  'AgentConnection',
  "An agent that a person has connected. It has the person's current permissions, limited by the person's consent, and works at /mcp only.",
  {
    id: string('Identifies the connection. It is not a secret.'),
    clientId: string('Identifies the program.'),
    clientName: string('The name that the program gave itself.'),
    perms: list(PermissionEnum, 'The only permissions that it has.'),
    namespace: nullable(string("The only namespace that it may use; null if it may use all of the person's.")),
    scopePrefix: nullable(
      string('It may use only this scope and those below it; null if it may use all scopes of the person.'),
    ),
    createdAt: safeInt('Epoch milliseconds.'),
    lastUsedAt: nullable(safeInt('Epoch milliseconds, recorded about once a minute; null if never used.')),
  },
)

const AgentRevocationRef = objectType('AgentConnectionRevocation', 'A connection that no longer works.', {
  id: string('The id of the connection.'),
  revoked: boolean('Always true.'),
})

runs('agentConnections', [AgentConnectionRef], (_, services) => services.agents.list())

runs('revokeAgentConnection', AgentRevocationRef, ({ id }, services) => services.agents.revoke(id))

const ReasonCodeEnum = enumType('AccessReasonCode', 'A reason why an access is allowed or denied.', reasonCodes, {
  grant: 'A grant gives the permission there.',
  owner: 'The principal owns the Unit.',
  group: "One of the principal's groups may read the Unit, or everyone in its scope may.",
  no_grant: 'No grant gives the permission there.',
  no_acl: 'The principal neither owns the Unit nor is in one of its groups.',
  not_readable: 'Only readable Units can be changed.',
  read_only: 'The principal is read-only, whatever its grants.',
  read_only_agents: 'The principal is an agent, and the scope or one above it is read-only to agents.',
  plane_closed:
    'The tier or the scope does not enable the plane of the Unit. The Unit is not found by searches, but can be fetched and listed.',
  principal_deleted: 'The principal was deleted.',
})

const ReasonEffectEnum = enumType('AccessReasonEffect', 'The effect of a reason on an access.', reasonEffects, {
  allows: 'It allows the access.',
  denies: 'It denies the access.',
  notes: 'It does not affect the access.',
})

const ReasonGrantRef = objectType('AccessGrant', 'A grant that decides.', {
  id: string('Its id.'),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What it allows.'),
})

const ReasonRef = objectType('AccessReason', 'A reason why an access is allowed or denied.', {
  code: of(ReasonCodeEnum, 'The reason as a code.'),
  effect: of(ReasonEffectEnum, 'The effect of the reason.'),
  detail: string('The reason as text.'),
  grant: nullable(of(ReasonGrantRef, 'The grant concerned.')),
  group: nullable(string('The group concerned; `*` is everyone in the scope.')),
  scope: nullable(string('The scope that is read-only to agents.')),
})

const VerdictRef = objectType('AccessVerdict', 'Whether an access is allowed, and why.', {
  allowed: boolean('True unless a reason denies it.'),
  reasons: list(ReasonRef, 'All reasons, for and against.'),
})

const ExplanationRef = objectType(
  'AccessExplanation',
  'What a principal may do now with a token without restrictions.',
  {
    principalId: string('The principal.'),
    read: of(VerdictRef, 'Whether it may read the Unit, or anything in the scope.'),
    write: of(VerdictRef, 'Whether it may change or delete the Unit, or write in the scope.'),
  },
)

addName(ExplanationRef, 'principalName', 'the principal', ({ principalId }) => principalId)

runs('explainAccess', ExplanationRef, (args, services) => services.explainAccess(args))

const CredentialKindEnum = enumType('CredentialKind', 'What a request is made with.', credentialKinds, {
  session: 'A person has signed in.',
  key: 'An API key of a principal.',
  token: "Something else: the super-admin's token.",
})

const CredentialRef = objectType('ViewerCredential', 'What the request was made with.', {
  kind: of(CredentialKindEnum, 'Its kind.'),
  keyId: nullable(string('The id of the key, as in `apiKeys`; null for anything else.')),
  name: nullable(string('The name of the key; null for anything else.')),
})

const ViewerRef = objectType('Viewer', 'Who is calling.', {
  principal: of(PrincipalRef, 'The principal. That of the super-admin has no record.'),
  namespaces: list(NamespaceRef, 'The namespaces that it may enter: the first 1,000, by name.'),
  credential: of(CredentialRef, 'What the request was made with.'),
})

runs('viewer', ViewerRef, (_, services) => services.viewer())
