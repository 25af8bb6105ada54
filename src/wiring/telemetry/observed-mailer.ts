import type { Telemetry, VendorCall } from '../../model/telemetry.ts'
import type { Mailer } from '../../ports/mail.ts'
import type { MailConfig } from '../../settings/mail.ts'

/** A mail to the console leaves the service by no request. */
const systems: Partial<Record<MailConfig['kind'], VendorCall['system']>> = { smtp: 'smtp', webhook: 'mail_webhook' }

/**
 * The same mailer. Each mail is reported as a request, and those that are being handed over, with those that are tried
 * again, as a queue.
 */
export function observedMailer({ queued, vendor }: Telemetry, mailer: Mailer, kind: MailConfig['kind']): Mailer {
  const system = systems[kind]
  const send: Mailer['send'] =
    vendor && system ? (mail) => vendor({ system, operation: 'send' }, () => mailer.send(mail)) : mailer.send
  let waiting = 0
  const change = (by: number) => {
    waiting += by
    queued('mail', waiting)
  }
  change(0)
  return {
    send: async (mail) => {
      change(1)
      await send(mail).finally(() => change(-1))
    },
  }
}
