import { z } from 'zod'
import { hiddenCounts, permissions, principalKinds } from '../../model/registry.ts'
import { groupList, scopePattern, tokenName, uniqueList } from '../input/fields.ts'
import { label, text } from '../input/parse.ts'

export const grantInput = z.strictObject({
  principalId: label(),
  scope: scopePattern,
  perms: uniqueList(z.enum(permissions), permissions.length).min(1, 'must not be empty'),
  groups: groupList,
})
export type GrantInput = z.output<typeof grantInput>

export const principalInput = z.strictObject({
  name: tokenName.optional(),
  kind: z.enum(principalKinds).default('user'),
  groups: groupList,
  readOnly: z.boolean('must be true or false').default(false),
  activeScope: scopePattern.default('*'),
})
export type PrincipalInput = z.output<typeof principalInput>

const namePattern = /^[a-z0-9][a-z0-9-]{1,62}$/

export const namespaceInput = z.strictObject({
  namespace: text(63).regex(namePattern, 'must be 2-63 characters of a-z, 0-9 and -, and must not start with -'),
})

/** Any text: an impossible name is refused like one that is not the caller's, so nobody can probe for names. */
export const namespaceName = z.strictObject({ name: z.string() })

export const transferInput = z.strictObject({ namespace: label(63), principalId: label() })
export type TransferInput = z.output<typeof transferInput>

export const namespaceUpdate = z.strictObject({ namespace: z.string(), hiddenCount: z.enum(hiddenCounts).optional() })
export type NamespaceUpdate = z.output<typeof namespaceUpdate>
