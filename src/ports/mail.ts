export type MailKind = 'verify-email' | 'reset-password'

/** A mail with one link. */
export interface Mail {
  kind: MailKind
  to: string
  /** Works once, in the browser of the person who reads the mail. It proves the address. */
  url: string
}

export interface Mailer {
  /** Hands the mail over. Rejects if that fails; the error holds neither the link nor the address. */
  send(mail: Mail): Promise<void>
}
