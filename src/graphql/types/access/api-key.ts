import type { KeyRevocation, NewKey } from '../../../domain/keys/keys.ts'
import type { ApiKey } from '../../../ports/catalog.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { boolean, exposed, nullable, objectType, of, pageType, safeInt, string } from '../../builder/types.ts'
import { HiddenCountEnum, PermissionEnum, PlaneEnum } from '../common/enums.ts'

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

const NewKeyRef = objectType<NewKey>('NewApiKey', 'A new API key.', {
  key: of(ApiKeyRef, 'The key.'),
  token: string('The bearer token. It is shown only once; the service stores its SHA-256.'),
})

const KeyRevocationRef = objectType<KeyRevocation>('ApiKeyRevocation', 'A key that no longer works.', {
  revoked: boolean('Always true.'),
  id: string('The id of the key.'),
})

pages('apiKeys', ApiKeyPageRef, (range, services) => services.keys.list(range))

runs('createApiKey', NewKeyRef, (input, services) => services.keys.create(input))

runs('revokeApiKey', KeyRevocationRef, ({ id }, services) => services.keys.revoke(id))
