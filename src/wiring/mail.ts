import { consoleMailer } from '../adapters/mail/console-mailer.ts'
import { createWebhookMailer } from '../adapters/mail/webhook-mailer.ts'
import type { Mailer } from '../ports/mail.ts'
import type { MailConfig } from '../settings/mail.ts'

/** Null: no mails are sent. */
export async function mailerOf(mail: MailConfig): Promise<Mailer | null> {
  if (mail.kind === 'off') return null
  if (mail.kind === 'console') return consoleMailer
  if (mail.kind === 'webhook') return createWebhookMailer(mail.url)
  // Loaded only where it is needed.
  const { createSmtpMailer } = await import('../adapters/mail/smtp-mailer.ts')
  return createSmtpMailer(mail)
}
