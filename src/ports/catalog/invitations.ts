export type { InvitationReader, InvitationRecord } from '../../adapters/catalog/sql/invitations.ts'
