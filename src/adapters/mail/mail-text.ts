import type { Mail, MailKind } from '../../ports/mail.ts'

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
