import { idInput } from '../../../domain/input/fields.ts'
import { keyInput } from '../../../domain/keys/key-input.ts'
import type { KeyRevocation, NewKey } from '../../../domain/keys/keys.ts'
import type { ApiKey } from '../../../ports/tokens.ts'
import { builder, checked, checkedInput } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { checkedPage, pageArgs, pageType } from '../../builder/pages.ts'
import { PermissionEnum, PlaneEnum } from '../common/enums.ts'

const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'A key of a principal: it does what the principal may do at the time of use, less its restrictions.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Names the key; it is no secret.' }),
    name: t.exposeString('name', { description: 'As it was chosen; it stands in the token.' }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'Epoch milliseconds, recorded about once a minute; null when it was never used.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'Epoch milliseconds; null when it does not end.',
    }),
    perms: t.field({
      type: [PermissionEnum],
      nullable: true,
      description: 'It holds at most these permissions; null when it holds all that its principal holds.',
      resolve: ({ restrictions }) => restrictions.perms ?? null,
    }),
    scopePrefix: t.string({
      nullable: true,
      description: 'It reaches this scope and those below it alone; null when all that its principal reaches.',
      resolve: ({ restrictions }) => restrictions.scopePrefix ?? null,
    }),
    planes: t.field({
      type: [PlaneEnum],
      nullable: true,
      description: 'It reaches these planes alone; null when all that are open.',
      resolve: ({ restrictions }) => restrictions.planes ?? null,
    }),
    groups: t.stringList({
      nullable: true,
      description: 'Of the groups of its principal these alone count; null when all do.',
      resolve: ({ restrictions }) => restrictions.groups ?? null,
    }),
  }),
})

const ApiKeyPageRef = pageType('ApiKeyPage', 'keys', ApiKeyRef, {
  page: "A page of a principal's keys.",
  items: 'Oldest first.',
})

const NewKeyRef = builder.objectRef<NewKey>('NewApiKey').implement({
  description: 'A key that was minted.',
  fields: (t) => ({
    key: t.expose('key', { type: ApiKeyRef, description: 'The key.' }),
    token: t.exposeString('token', {
      description: 'The bearer token, shown this once: only its SHA-256 is kept.',
    }),
  }),
})

const KeyRevocationRef = builder.objectRef<KeyRevocation>('ApiKeyRevocation').implement({
  description: 'A key that no longer works.',
  fields: (t) => ({
    revoked: t.exposeBoolean('revoked', { description: 'Always true.' }),
    id: t.exposeString('id', { description: 'Of the key.' }),
  }),
})

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description:
    'A key to mint. Its restrictions only narrow; one that is left out is inherited from the key that the request came with.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'It stands in the token.' }),
    expiresAt: t.field({
      type: 'SafeInt',
      description: 'Epoch milliseconds, in the future; no later than the end of the key that the request came with.',
    }),
    perms: t.field({ type: [PermissionEnum], description: 'Hold at most these permissions.' }),
    scopePrefix: t.string({ description: 'Reach this scope path and those below it alone.' }),
    planes: t.field({ type: [PlaneEnum], description: 'Reach these planes alone.' }),
    groups: t.stringList({
      description: 'Of the groups of the principal let these alone count; none for an empty list.',
    }),
  }),
})

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyPageRef,
    description: 'The keys of the calling principal, oldest first; with a restricted key those that are no wider.',
    args: pageArgs('Offset among those that the calling key may see.'),
    ...checkedPage((context, range) => servicesOf(context).keys.list(range)),
  }),
)

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: NewKeyRef,
    description:
      'Mints a key of the calling principal, which holds at most 100. A restricted key mints within its own.',
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    ...checkedInput(keyInput, (input, context) => servicesOf(context).keys.create(input)),
  }),
  revokeApiKey: t.field({
    type: KeyRevocationRef,
    description: 'Ends a key of the calling principal at once. Any other is not found.',
    args: { id: t.arg.string({ required: true, description: 'The id of the key.' }) },
    ...checked(idInput, ({ id }, context) => servicesOf(context).keys.revoke(id)),
  }),
}))
