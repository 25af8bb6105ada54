import { z } from 'zod'
import { permissions } from '../../model/registry.ts'
import { planes } from '../../model/unit.ts'
import { label, text } from '../input/parse.ts'
import { uniqueList } from '../registries/registry-input.ts'
import { scopePath } from '../units/unit-input.ts'

/** `now` in epoch milliseconds. */
export const keyInput = (now: number) =>
  z
    .strictObject({
      name: text(32).regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1-32 of A-Z, a-z, 0-9 and -'),
      expiresAt: z
        .int('must be an integer')
        .refine((at) => at > now, 'must be in the future')
        .optional(),
      perms: uniqueList(z.enum(permissions), permissions.length).min(1, 'must not be empty').optional(),
      scopePrefix: scopePath.optional(),
      planes: uniqueList(z.enum(planes), planes.length).min(1, 'must not be empty').optional(),
      groups: uniqueList(label(), 64).optional(),
    })
    .transform(({ name, expiresAt, ...restrictions }) => ({ name, expiresAt, restrictions }))
