import type { Mailer } from '../../ports/mail.ts'
import { mailText } from './mail-text.ts'

/** Prints each mail to stdout, for trying the service out: logs go to stderr and never hold a link. */
export const consoleMailer: Mailer = {
  send: async (mail) => {
    const { subject, text } = mailText(mail)
    process.stdout.write(`\nTo: ${mail.to}\nSubject: ${subject}\n\n${text}\n`)
  },
}
