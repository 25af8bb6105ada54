import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const MAIL_FROM = 'Search <search@example.com>'
const mail = (env: Record<string, string>) => readConfig(env).mail

describe('settings of mails', () => {
  it('send none by default', () => {
    expect(mail({})).toEqual({ kind: 'off' })
  })

  it('read an SMTP server', () => {
    const server = { kind: 'smtp', host: 'mail.test', port: 587, secure: false, auth: null, from: MAIL_FROM }
    expect(mail({ SMTP_URL: 'smtp://mail.test', MAIL_FROM })).toEqual(server)
    expect(mail({ SMTP_URL: 'smtps://a%40b:p%3Aw@[::1]', MAIL_FROM: 'a@b.c' })).toEqual({
      ...{ kind: 'smtp', host: '::1', port: 465, secure: true },
      ...{ auth: { user: 'a@b', pass: 'p:w' }, from: 'a@b.c' },
    })
    const wrong = ['mail.test', 'http://mail.test', 'smtp://', 'smtp://m.test/x', 'smtp://m.test?requireTLS=false']
    for (const SMTP_URL of [
      ...wrong,
      'smtp://hush-hush@m.test',
      'smtp://a:hush-hush%@m.test',
      'smtp://:hush-hush@m.test',
    ]) {
      const problem = configProblem({ SMTP_URL, MAIL_FROM })
      expect(problem).toMatch(/^ {2}SMTP_URL: must be an address such as smtp:/m)
      expect(problem).not.toContain('hush-hush')
    }
    for (const from of ['nobody', 'a@b, c@d', 'A <a@b>, c@d', 'A <a@b>\r\nBcc: x@y']) {
      expect(configProblem({ SMTP_URL: 'smtp://m.test', MAIL_FROM: from })).toContain('MAIL_FROM: must be')
    }
  })

  it('read the other ways, one at a time', () => {
    expect(mail({ MAIL: 'console' })).toEqual({ kind: 'console' })
    const hook = { MAIL_WEBHOOK_URL: 'http://m.test/', PUBLIC_URL: 'https://c.test' }
    expect(mail(hook)).toEqual({ kind: 'webhook', url: 'http://m.test/' })
    expect(configProblem({ ...hook, MAIL: 'console' })).toContain('MAIL_WEBHOOK_URL: set only one of')
    expect(configProblem({ MAIL: 'stdout' })).toContain('MAIL: ')
  })

  it('refuse half of them, and printing links where others may read them', () => {
    expect(configProblem({ SMTP_URL: 'smtp://m.test' })).toContain('MAIL_FROM: is needed with SMTP_URL')
    expect(configProblem({ MAIL_FROM })).toContain('SMTP_URL: is needed with MAIL_FROM')
    for (const HOST of ['0.0.0.0', '::', '192.0.2.1', '127.evil.test']) {
      expect(configProblem({ MAIL: 'console', HOST })).toContain('HOST must be a loopback address')
    }
    expect(mail({ MAIL: 'console', HOST: '::1' })).toEqual({ kind: 'console' })
    const DATABASE_URL = 'postgresql://localhost/x'
    expect(configProblem({ DATABASE_URL, SMTP_URL: 'smtp://m.test', MAIL_FROM })).toContain('AUTH_SECRET: is needed')
  })
})
