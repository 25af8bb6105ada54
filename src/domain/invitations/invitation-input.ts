import { z } from 'zod'
import { text } from '../input/parse.ts'
import { grantInput } from '../registries/registry-input.ts'

const email = text(254)
  .min(3, 'must be at least 3 characters')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .transform((address) => address.toLowerCase())

export const invitationInput = grantInput
  .omit({ principalId: true })
  .extend({ email: email.optional(), expiresAt: z.int('must be an integer').optional() })
export type InvitationInput = z.output<typeof invitationInput>

/** Any text: one that cannot be a token is refused like an unknown one. */
export const tokenInput = z.strictObject({ token: text(256) })
