import { idInput } from '../domain/input/fields.ts'
import { pageInput } from '../domain/input/page.ts'
import { invitationInput, tokenInput } from '../domain/invitations/invitation-input.ts'
import { administers, type Operation } from './operation.ts'

export const invitations = {
  invitation: {
    kind: 'query',
    description:
      'Public. What the link with this token offers. The same 404 for a token that is unknown, used, revoked or expired, and if its maker could not make it any more.',
    args: tokenInput,
    needs: null,
    reach: 'clamped',
    open: 'public',
  },
  invitations: {
    kind: 'query',
    description: "The namespace's invitations, oldest first. Needs an admin principal.",
    args: pageInput,
    needs: administers,
    reach: 'clamped',
  },
  createInvitation: {
    kind: 'mutation',
    description:
      'Makes a link that gives a grant to the person who accepts it, once. Needs an admin principal, who can only offer what it holds. A namespace may have at most 100 open invitations.',
    input: invitationInput,
    needs: administers,
    reach: 'grant',
  },
  acceptInvitation: {
    kind: 'mutation',
    description:
      'Gives the caller the grant of an invitation, once. Needs a signed-in person, or a key of a `user` without restrictions. The same 404 for every token that does not work.',
    args: tokenInput,
    needs: null,
    reach: 'account',
  },
  revokeInvitation: {
    kind: 'mutation',
    description: 'Ends an open invitation. Needs an admin principal.',
    args: idInput,
    needs: administers,
    reach: 'access',
  },
} satisfies Record<string, Operation>
