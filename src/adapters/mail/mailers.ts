import type { Mail, Mailer, MailKind } from '../../ports/mail.ts'

/** Prints each mail to stdout, for trying the service out: logs go to stderr and never hold a link. */
export const consoleMailer: Mailer = {
  send: async (mail) => {
    const { subject, text } = mailText(mail)
    process.stdout.write(`\nTo: ${mail.to}\nSubject: ${subject}\n\n${text}\n`)
  },
}

const texts: Record<MailKind, { subject: string; before: string; after: string }> = {
  'verify-email': {
    subject: 'Confirm your e-mail address',
    before: 'Open this link to confirm your e-mail address:',
    after: 'If you did not create an account, ignore this mail.',
  },
  'reset-password': {
    subject: 'Set a new password',
    before: 'Open this link to set a new password. It works once, for one hour:',
    after: 'If you did not ask for it, ignore this mail: your password stays as it is.',
  },
}

/** The subject and the plain text of a mail. */
export function mailText({ kind, url }: Pick<Mail, 'kind' | 'url'>): { subject: string; text: string } {
  const { subject, before, after } = texts[kind]
  return { subject, text: `${before}\n\n${url}\n\n${after}\n` }
}

const timeoutMs = 10_000

/** Posts each mail to a hook that sends it, as JSON {kind, to, url}. */
export const createWebhookMailer = (hook: string): Mailer => ({
  send: async (mail) => {
    const response = await fetch(hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(mail),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the mail webhook answered ${response.status}`)
  },
})
