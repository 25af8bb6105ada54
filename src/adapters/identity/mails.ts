import type { Log } from '../../model/log.ts'
import type { Mail, Mailer } from '../../ports/mail.ts'

/** Sends a mail. A failure is logged without the link, which proves an identity, and without the address. */
export async function deliver(mailer: Mailer, mail: Mail, log: Log): Promise<void> {
  await mailer.send(mail).catch((err: unknown) => log.error({ err, kind: mail.kind }, 'a mail could not be sent'))
}

/** The page on which a new password is set. */
export const resetLink = (origin: string, token: string): string => `${origin}/reset-password?token=${token}`

/**
 * The library's link, which leads back to where the request says. Only to an own page: what a stranger asked for is
 * mailed to others, too.
 */
export function verifyLink(url: string, origins: readonly string[]): string {
  const link = new URL(url)
  const back = URL.parse(link.searchParams.get('callbackURL') ?? '/', link.origin)
  if (back === null || ![link.origin, ...origins].includes(back.origin)) link.searchParams.set('callbackURL', '/')
  return link.href
}
