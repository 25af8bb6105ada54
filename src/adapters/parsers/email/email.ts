import type { Format } from '../../../ports/format.ts'

const field = (name: string) => new RegExp(`^${name}:`, 'im')

/** A message as it is sent (RFC 5322): it begins with header fields, among them who wrote it. */
export const email: Format = {
  name: 'an e-mail message',
  extensions: ['eml'],
  kind: 'text',
  claims: ({ head, extension }) => {
    const start = Buffer.from(head).toString('latin1')
    if (!/^[A-Za-z][\w-]*:[ \t]?\S/.test(start)) return false
    const [fields = ''] = start.split(/\r?\n\r?\n/, 1)
    if (!field('From').test(fields)) return false
    return extension === 'eml' || ['Received', 'Message-ID', 'MIME-Version'].some((name) => field(name).test(fields))
  },
  load: async () => (await import('./read-email.ts')).readEmail,
}
