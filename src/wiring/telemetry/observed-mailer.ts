import type { Telemetry } from '../../model/telemetry.ts'
import type { Mailer } from '../../ports/mail.ts'

/** The same mailer; the mails that are being handed over, with those that are tried again, are reported as a queue. */
export function observedMailer({ queued }: Pick<Telemetry, 'queued'>, mailer: Mailer): Mailer {
  let waiting = 0
  const change = (by: number) => {
    waiting += by
    queued('mail', waiting)
  }
  change(0)
  return {
    send: async (mail) => {
      change(1)
      await mailer.send(mail).finally(() => change(-1))
    },
  }
}
