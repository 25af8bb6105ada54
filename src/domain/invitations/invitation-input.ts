import { z } from 'zod'
import { email, groupList } from '../input/fields.ts'
import { text } from '../input/parse.ts'
import { grantInput } from '../registries/registry-input.ts'

export const invitationInput = grantInput
  .omit({ principalId: true })
  .extend({
    groups: groupList.describe(
      'Groups, as in `createGrant`. You can offer groups you belong to; the owner can offer any.',
    ),
    email: email
      .optional()
      .describe(
        'The only address that may accept it. Needs a service that sends mails or has an identity provider, which prove addresses. With mails, that person may sign up with the link where sign-up is closed.',
      ),
    expiresAt: z
      .int('must be an integer')
      .optional()
      .describe('Epoch milliseconds: at most seven days from now, the default, and at most the expiry of the key.'),
  })
  .meta({ title: 'CreateInvitationInput', about: 'A new invitation.' })
export type InvitationInput = z.output<typeof invitationInput>

/** Any text: one that cannot be a token is refused like an unknown one. */
export const tokenInput = z.strictObject({ token: text(256).describe('What follows `#` in the link.') })
