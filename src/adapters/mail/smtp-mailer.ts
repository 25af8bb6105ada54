import { createTransport } from 'nodemailer'
import { retried } from '../../async/backoff.ts'
import type { Mailer } from '../../ports/mail.ts'
import { mailText } from './mailers.ts'

export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte. Otherwise STARTTLS. */
  secure: boolean
  auth: { user: string; pass: string } | null
  /** An address, or a name with one: `Search <search@example.com>`. */
  from: string
}

const timeoutMs = 10_000
/** Milliseconds before each further try. */
const pausesMs = [1000, 4000]

/**
 * Sends mails by SMTP. Credentials travel by TLS alone: a server that does not offer STARTTLS gets none, and no mail.
 * What a server rejects for good (5xx) is not tried again.
 */
export function createSmtpMailer({ host, port, secure, auth, from }: SmtpServer): Mailer {
  const transport = createTransport({
    ...{ host, port, secure },
    ...(auth === null ? {} : { auth, requireTLS: !secure }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (mail) => {
      // As an object: in a text, a comma would begin another recipient.
      const message = { from, to: { name: '', address: mail.to }, ...mailText(mail) }
      await retried(
        () => transport.sendMail(message),
        (error, before) => {
          const { reason, isFinal } = failureOf(error)
          const pause = pausesMs[before]
          if (isFinal || pause === undefined) throw new Error(reason)
          return pause
        },
      )
    },
  }
}

/** What servers say may quote the recipient and the text: only codes are passed on. */
function failureOf(error: unknown): { reason: string; isFinal: boolean } {
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown }
  const codes = [code, responseCode, command].filter((one) => /^[A-Z0-9_ ]{1,24}$/.test(`${one}`))
  const isFinal = typeof responseCode === 'number' && responseCode >= 500
  return { reason: `the SMTP server failed: ${codes.join(' ') || 'no reason'}`, isFinal }
}
