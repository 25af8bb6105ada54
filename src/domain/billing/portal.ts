import { badRequest, billingNotConfigured } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import type { BillingDeps } from './deps.ts'
import { requirePayer } from './payer.ts'

/**
 * Opens the provider's page where the caller changes or cancels its purchases. Errors: 403 for a caller who cannot pay;
 * 503 without a provider; 400 for a caller who never started a checkout.
 */
export async function openPortal(deps: BillingDeps, session: Session): Promise<{ url: string }> {
  requirePayer(session, 'createBillingPortal')
  const { payments, catalog, clock, billing } = deps
  if (!payments.configured) throw billingNotConfigured()
  const [customer] = await catalog.billing.customersOf(session.principalId)
  if (customer === undefined) throw badRequest('no subscription exists yet: start with a checkout')
  const url = await payments.createPortal(customer, billing.returnUrl)
  await catalog.transact(session.facts.caller.home.id, (tx) =>
    tx.audit(auditEntry(session, clock.now(), 'billing.portal', customer, {})),
  )
  return { url }
}
