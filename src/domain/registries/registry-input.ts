import { z } from 'zod'
import { hiddenCounts, permissions, principalKinds } from '../../model/registry.ts'
import { tierNames } from '../../model/tiers.ts'
import { email, groupList, groupName, scopePattern, uniqueList } from '../input/fields.ts'
import { label, text } from '../input/parse.ts'

export const grantInput = z
  .strictObject({
    principalId: label().describe('The principal that receives it, from any home namespace.'),
    scope: scopePattern.describe('A path, or `*` for everything.'),
    perms: uniqueList(z.enum(permissions), permissions.length)
      .min(1, 'must not be empty')
      .describe('The permissions. The caller must hold each of them on all of the scope.'),
    groups: groupList.describe(
      'Groups of the principal in this namespace, if it is not its home namespace. You can grant groups you belong to; the owner can grant any.',
    ),
  })
  .meta({ title: 'CreateGrantInput', about: 'A new grant.' })
export type GrantInput = z.output<typeof grantInput>

/** What an admin may choose of a principal. */
const principalFields = {
  name: label().describe('Its name, for people to read.'),
  groups: uniqueList(groupName, 1000).describe(
    'Its groups. You can grant groups you belong to; the owner of the namespace can grant any.',
  ),
  readOnly: z.boolean('must be true or false').describe('Whether it may only read.'),
  activeScope: scopePattern.describe('The scope of requests without a scope: a path or `*`.'),
}

export const principalInput = z
  .strictObject({
    name: principalFields.name.optional(),
    kind: z.enum(principalKinds).default('user').describe('Its kind.'),
    groups: principalFields.groups.default([]),
    readOnly: principalFields.readOnly.default(false),
    activeScope: principalFields.activeScope.default('*'),
  })
  .meta({ title: 'CreatePrincipalInput', about: 'A new principal. It has no grants yet.' })
export type PrincipalInput = z.output<typeof principalInput>

const principalChanges = z
  .strictObject(principalFields)
  .partial()
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), 'must change at least one field')
  .meta({
    title: 'UpdatePrincipalInput',
    about: 'Changes to a principal. Fields that are left out keep their values; groups are replaced.',
  })

export const principalUpdate = z.strictObject({
  id: label().describe('The principal id.'),
  input: principalChanges.describe('The changes.'),
})
export type PrincipalUpdate = z.output<typeof principalUpdate>

const namePattern = /^[a-z0-9][a-z0-9-]{1,62}$/

export const namespaceInput = z
  .strictObject({
    namespace: text(63)
      .regex(namePattern, 'must be 2-63 characters of a-z, 0-9 and -, and must not start with -')
      .describe('The name.'),
  })
  .meta({ title: 'CreateNamespaceInput', about: 'A namespace to register or claim.' })

/** Any text: an impossible name is refused like one that is not the caller's, so nobody can probe for names. */
export const namespaceName = z.strictObject({ name: z.string().describe('The name.') })

export const transferInput = z
  .strictObject({
    namespace: label(63).describe('The name of a registered namespace.'),
    principalId: label().describe('The new owner, from any home namespace. It must not be read-only.'),
  })
  .meta({ title: 'TransferNamespaceInput', about: 'The new owner of a namespace.' })
export type TransferInput = z.output<typeof transferInput>

export const tierInput = z.strictObject({
  namespace: label(63).describe('The name of the namespace.'),
  tier: z.enum(tierNames).describe('The tier that it has without payments.'),
})
export type TierInput = z.output<typeof tierInput>

export const adminInput = z.strictObject({
  email: email.describe('The address with which the person has signed up.'),
  namespace: label(63).default('demo').describe('The name of the namespace.'),
})
export type AdminInput = z.output<typeof adminInput>

export const namespaceUpdate = z
  .strictObject({
    namespace: z.string().describe('The name.'),
    hiddenCount: z.enum(hiddenCounts).optional().describe('The most that answers say of hidden Units.'),
  })
  .meta({
    title: 'UpdateNamespaceInput',
    about: 'Changes to a namespace. Fields that are left out keep their values.',
  })
export type NamespaceUpdate = z.output<typeof namespaceUpdate>
