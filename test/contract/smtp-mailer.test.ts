import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { createSmtpMailer, type SmtpServer } from '../../src/adapters/mail/smtp-mailer.ts'
import type { Mail } from '../../src/ports/mail.ts'
import { type SmtpServerOptions, startSmtpServer } from '../support/mail/smtp-server.ts'
import { makeCertificate } from '../support/redis/tls.ts'

const certificate = await makeCertificate()
const auth = { user: 'mailer', pass: 'hush' }
const mail: Mail = { kind: 'reset-password', to: 'ada@example.com', url: 'https://c.test/reset-password?token=abc' }

const servers: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

async function open(options: SmtpServerOptions = {}, settings: Partial<SmtpServer> = {}) {
  const server = await startSmtpServer(options)
  servers.push(server)
  const mailer = createSmtpMailer({
    ...{ host: '127.0.0.1', port: server.port, secure: false, auth: null, from: 'Search <s@c.test>' },
    ...settings,
  })
  return { server, mailer, verbs: () => server.commands.map(({ line }) => line.split(' ')[0]) }
}

// Together: most of it is the pauses before further tries.
describe.concurrent('mails by SMTP', () => {
  it('go to one recipient, with a subject and the link', async () => {
    const { server, mailer } = await open()
    await mailer.send(mail)
    const [message = ''] = server.messages
    expect(message).toMatch(/^From: Search <s@c.test>$/m)
    expect(message).toMatch(/^To: ada@example.com$/m)
    expect(message).toMatch(/^Subject: Set a new password$/m)
    expect(message.replace(/=\n/g, '').replaceAll('=3D', '=')).toContain(mail.url)
  })

  it.skipIf(certificate === null)(
    'hand credentials over by STARTTLS alone, to a trusted server (needs openssl)',
    async () => {
      if (certificate === null) return
      const trusted = getCACertificates('default')
      const stranger = await open({ certificate }, { auth })
      await expect(stranger.mailer.send(mail)).rejects.toThrow('the SMTP server failed')
      expect(stranger.verbs()).not.toContain('AUTH')

      setDefaultCACertificates([...trusted, certificate.cert])
      const { server, mailer, verbs } = await open({ certificate }, { auth })
      await mailer.send(mail).finally(() => setDefaultCACertificates(trusted))
      expect(verbs().slice(0, 7)).toEqual(['EHLO', 'STARTTLS', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'])
      expect(server.commands.filter(({ isEncrypted }) => !isEncrypted)).toHaveLength(2)
      expect(server.messages).toHaveLength(1)
    },
  )

  it('give a server without STARTTLS neither credentials nor the mail', async () => {
    const { server, mailer, verbs } = await open({ failures: [] }, { auth })
    await expect(mailer.send(mail)).rejects.toThrow('the SMTP server failed')
    expect(verbs()).not.toContain('AUTH')
    expect(verbs()).not.toContain('MAIL')
    expect(server.messages).toEqual([])
  })

  it('are tried again after a passing failure, not after a refusal, and no error quotes them', async () => {
    const passing = await open({ failures: [{ verb: 'RCPT', reply: '451 try later' }] })
    await passing.mailer.send(mail)
    expect(passing.server.messages).toHaveLength(1)
    const refused = await open({ failures: [{ verb: 'RCPT', reply: '550 no ada@example.com here' }] })
    const error = await refused.mailer.send(mail).catch((caught: unknown) => String(caught))
    expect(error).toBe('Error: the SMTP server failed: EENVELOPE 550 RCPT TO')
    expect(refused.verbs().filter((verb) => verb === 'RCPT')).toHaveLength(1)
  })
})
