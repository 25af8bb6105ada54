import { type Actor, auditEntry } from '../../model/audit-entry.ts'
import type { BillingEvent } from '../../model/billing.ts'
import type { Provisioner } from '../../ports/catalog.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { refreshPayer } from './apply-tier.ts'
import type { WebhookInput } from './billing-input.ts'
import { recordVersion } from './record.ts'

export interface EventReceipt {
  received: true
  /** The event was already known: nothing changed. */
  duplicate: boolean
}

/** The actor of tier changes: no particular person. */
export const billingActor = (requestId: string): Actor => ({ principalId: 'system', requestId })

/**
 * Stores an event of the provider durably before it responds, without a call to the provider. An event of an unknown
 * customer is kept until the customer is known. Errors: those of `Payments.readEvent`.
 */
export async function receiveEvent(
  deps: BillingDeps & { billingBackground: BackgroundWork },
  { payload, signature }: WebhookInput,
  requestId: string,
): Promise<EventReceipt> {
  const event = await deps.payments.readEvent(payload, signature, deps.clock.now())
  const { isNew } = await deps.catalog.provision((tx) => applyEvent(deps, tx, event, billingActor(requestId)))
  deps.billingBackground.kick()
  return { received: true, duplicate: !isNew }
}

/** Concurrent deliveries of one event wait for the lock: the first one counts. */
export async function applyEvent(
  deps: BillingDeps,
  tx: Provisioner,
  event: BillingEvent,
  actor: Actor,
): Promise<{ isNew: boolean; changed: number }> {
  const now = deps.clock.now()
  if (!(await tx.billing.insertEvent(event, now))) return { isNew: false, changed: 0 }
  const payer = event.version && (await recordVersion(tx.billing, event.version, now))
  if (payer === null) return { isNew: true, changed: 0 }
  const { raised, changed } = await refreshPayer(deps, tx, payer, actor)
  const home = raised.find(({ isHome }) => isHome)
  const detail = { type: event.type, payer }
  if (home) await tx.audit(home.id, auditEntry(actor, now, 'billing.event', event.id, detail))
  return { isNew: true, changed }
}
