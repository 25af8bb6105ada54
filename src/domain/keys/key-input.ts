import { z } from 'zod'
import { hiddenCounts, permissions } from '../../model/registry.ts'
import { planes } from '../../model/unit.ts'
import { scopePath, tokenName, uniqueList } from '../input/fields.ts'
import { label } from '../input/parse.ts'

export const keyInput = z
  .strictObject({
    name: tokenName.describe('The name. It is part of the token.'),
    expiresAt: z
      .int('must be an integer')
      .optional()
      .describe('Epoch milliseconds, in the future. At most the expiry of the key that sends the request.'),
    perms: uniqueList(z.enum(permissions), permissions.length)
      .min(1, 'must not be empty')
      .optional()
      .describe('The only permissions that the key has.'),
    scopePrefix: scopePath.optional().describe('The key may use only this scope and those below it.'),
    planes: uniqueList(z.enum(planes), planes.length)
      .min(1, 'must not be empty')
      .optional()
      .describe('The only planes that the key may use.'),
    groups: uniqueList(label(), 64)
      .optional()
      .describe('The only groups of the principal that count. An empty list means none.'),
    hiddenCount: z
      .enum(hiddenCounts)
      .optional()
      .describe('The most that the key learns of hidden Units. The namespace may set less.'),
  })
  .meta({
    title: 'CreateApiKeyInput',
    about:
      'A new API key. A restriction that is left out is inherited from the key that sends the request. Restrictions can only be narrowed.',
  })
  .transform(({ name, expiresAt, ...restrictions }) => ({ name, expiresAt, restrictions }))
export type KeyInput = z.output<typeof keyInput>
