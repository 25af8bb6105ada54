import { forbidden } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'

/** Throws 403 for a caller who cannot pay: the super-admin has no home; a restricted key is not the person. */
export function requirePayer(session: Session, operation: 'createCheckout' | 'createBillingPortal'): void {
  if (session.facts.caller.superAdmin)
    throw forbidden('the super-admin has no home namespace to pay for: use the token of a principal')
  admit(session, operation)
}
