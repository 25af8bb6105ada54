import type { Mailer } from '../../ports/mail.ts'

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
