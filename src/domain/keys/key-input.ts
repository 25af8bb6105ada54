import { z } from 'zod'
import { hiddenCounts, permissions } from '../../model/registry.ts'
import { planes } from '../../model/unit.ts'
import { scopePath, tokenName, uniqueList } from '../input/fields.ts'
import { label } from '../input/parse.ts'

export const keyInput = z
  .strictObject({
    name: tokenName,
    expiresAt: z.int('must be an integer').optional(),
    perms: uniqueList(z.enum(permissions), permissions.length).min(1, 'must not be empty').optional(),
    scopePrefix: scopePath.optional(),
    planes: uniqueList(z.enum(planes), planes.length).min(1, 'must not be empty').optional(),
    groups: uniqueList(label(), 64).optional(),
    hiddenCount: z.enum(hiddenCounts).optional(),
  })
  .transform(({ name, expiresAt, ...restrictions }) => ({ name, expiresAt, restrictions }))
export type KeyInput = z.output<typeof keyInput>
