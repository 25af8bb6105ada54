import type { Log } from '../../model/log.ts'

/** What is posted to the mail hook, as JSON. */
interface Mail {
  kind: 'verify-email'
  to: string
  /** Works once, in the browser of the person who reads the mail. */
  url: string
}

const timeoutMs = 10_000

/** Hands a mail to the hook that sends it. A failure is logged without the link, which proves an identity. */
export async function postMail(hook: string, mail: Mail, log: Log): Promise<void> {
  try {
    const response = await fetch(hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(mail),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) log.error({ status: response.status, kind: mail.kind }, 'the mail webhook refused a mail')
  } catch (err) {
    log.error({ err, kind: mail.kind }, 'the mail webhook is unreachable')
  }
}
