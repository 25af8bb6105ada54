import { z } from 'zod'
import type { SmtpServer } from '../adapters/mail/smtp-mailer.ts'
import { address, webAddress } from './kinds.ts'

const example = 'smtp://user:password@mail.example.com:587'
const mailbox = /^(?:[^<>,\s]+@[^<>,\s]+|[^<>"\r\n]{1,128} <[^<>,\s]+@[^<>,\s]+>)$/

/** The settings of mails: one of three ways. */
export const mailSettings = {
  SMTP_URL: address(['smtp', 'smtps'], example)
    .refine(isServer, `must be an address such as ${example}: a host, maybe a user with a password, no path or query`)
    .optional()
    .describe(
      'SMTP server for mails, such as smtp://user:password@mail.example.com:587 (STARTTLS before credentials) or smtps:// (TLS). Requires MAIL_FROM',
    ),
  MAIL_FROM: z
    .string()
    .regex(mailbox, 'must be an e-mail address, or a name with one: Search <search@example.com>')
    .optional()
    .describe('Sender of mails by SMTP_URL'),
  MAIL: z
    .enum(['console'])
    .optional()
    .describe('console prints mails to stdout, for trying the service out. Only while HOST is a loopback address'),
  MAIL_WEBHOOK_URL: webAddress
    .optional()
    .describe(
      'Address to which mails are posted as JSON {kind, to, url}; kind is verify-email or reset-password. Without it, SMTP_URL and MAIL, e-mail addresses are not verified and passwords cannot be reset',
    ),
}

export type MailConfig =
  /** Addresses are not verified, and passwords cannot be reset. */
  { kind: 'off' } | ({ kind: 'smtp' } & SmtpServer) | { kind: 'console' } | { kind: 'webhook'; url: string }

type Env = z.infer<z.ZodObject<typeof mailSettings>> & { HOST: string }

/** Whether one of the ways is set. */
export const hasMail = ({ SMTP_URL, MAIL, MAIL_WEBHOOK_URL }: Omit<Env, 'HOST'>): boolean =>
  [SMTP_URL, MAIL, MAIL_WEBHOOK_URL].some((value) => value !== undefined)

export function mailConfig(env: Env, problems: string[]): MailConfig {
  const { SMTP_URL: smtp, MAIL_FROM: from, MAIL: mail, MAIL_WEBHOOK_URL: hook, HOST: host } = env
  const ways = Object.entries({ SMTP_URL: smtp, MAIL: mail, MAIL_WEBHOOK_URL: hook }).filter(([, value]) => value)
  const [first, second] = ways.map(([name]) => name)
  if (second !== undefined)
    problems.push(`${second}: set only one of SMTP_URL, MAIL and MAIL_WEBHOOK_URL, not ${first} too`)
  if (smtp === undefined && from !== undefined) problems.push('SMTP_URL: is needed with MAIL_FROM')
  if (mail !== undefined && !isLoopback(host)) {
    problems.push('MAIL: console prints links that prove an address, so HOST must be a loopback address')
  }
  if (smtp !== undefined) {
    if (from === undefined) problems.push('MAIL_FROM: is needed with SMTP_URL, as the sender')
    return { kind: 'smtp', ...serverOf(smtp), from: from ?? '' }
  }
  if (mail !== undefined) return { kind: 'console' }
  return hook === undefined ? { kind: 'off' } : { kind: 'webhook', url: hook }
}

/** The library would read its options from a query. */
function isServer(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.hostname === '' || url.search !== '' || url.hash !== '' || !['', '/'].includes(url.pathname))
    return false
  try {
    serverOf(text)
  } catch {
    return false
  }
  return (url.username === '') === (url.password === '')
}

/** Ports: RFC 8314 for mails that are handed in. */
function serverOf(text: string): Omit<SmtpServer, 'from'> {
  const { protocol, hostname, port, username, password } = new URL(text)
  const secure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    auth: username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
