import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keptSecret } from '../../src/adapters/identity/secret.ts'
import { readConfig } from '../../src/config.ts'
import { tempDir } from '../support/temp-dir.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const signIn = (env: Record<string, string>) => readConfig(env).signIn

const oidc = { OIDC_ISSUER: 'https://id.test', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'hush-hush' }
const secret = 'x'.repeat(32)

describe('settings of console sign-in', () => {
  it('open it to everyone by default, with a secret of its own', () => {
    expect(signIn({})).toMatchObject({ kind: 'on', secret: null, signUp: 'open', oidc: null, publicOrigin: null })
  })

  it('read who may sign up', () => {
    expect(signIn({ SIGN_UP: 'closed' })).toMatchObject({ signUp: 'closed' })
    const mail = { MAIL_WEBHOOK_URL: 'http://m.test', PUBLIC_URL: 'https://c.test' }
    expect(signIn({ SIGN_UP: 'Example.com, x.org', ...mail })).toMatchObject({
      signUp: { domains: ['example.com', 'x.org'] },
    })
    for (const SIGN_UP of ['no', 'a@example.com', 'example.com,', '*.example.com', 'OPEN']) {
      expect(configProblem({ SIGN_UP })).toContain('SIGN_UP: must be open, closed or')
    }
  })

  it('refuse domains that nobody could show to be theirs', () => {
    const others: Record<string, string>[] = [
      {},
      { PUBLIC_URL: 'https://c.test', ...oidc },
      { DATABASE_URL: 'postgresql://localhost/x' },
    ]
    for (const more of others) {
      const problem = configProblem({ SIGN_UP: 'corp.example', ...more })
      expect(problem).toMatch(/^ {2}SIGN_UP: a list of domains needs SMTP_URL or MAIL_WEBHOOK_URL: [^\n]*$/m)
    }
  })

  it('turn it off on a shared catalog without a shared secret', () => {
    const DATABASE_URL = 'postgresql://localhost/x'
    expect(signIn({ DATABASE_URL })).toEqual({ kind: 'off' })
    expect(signIn({ DATABASE_URL, AUTH_SECRET: secret })).toMatchObject({ kind: 'on', secret })
    expect(configProblem({ DATABASE_URL, PUBLIC_URL: 'https://c.test', ...oidc })).toContain('AUTH_SECRET: is needed')
  })

  it('are refused when they make no sense together, without their values', () => {
    const { OIDC_CLIENT_ID, ...incomplete } = oidc
    const told = configProblem({ ...incomplete, AUTH_SECRET: 'too short' })
    expect(told).toContain('AUTH_SECRET: must have at least 32 characters')
    expect(configProblem({ ...incomplete, PUBLIC_URL: 'https://c.test' })).toContain('OIDC_CLIENT_SECRET go together')
    expect(configProblem(oidc)).toContain('PUBLIC_URL: is needed with OIDC_ISSUER')
    expect(configProblem({ MAIL_WEBHOOK_URL: 'http://m.test' })).toContain(
      'PUBLIC_URL: is needed with MAIL_WEBHOOK_URL',
    )
    expect(configProblem({ PUBLIC_URL: 'https://c.test/path' })).toContain('PUBLIC_URL: must be an origin')
    expect(configProblem({ TRUSTED_PROXIES: '10.0.0.0/33' })).toContain('TRUSTED_PROXIES: must be')
    expect(told + configProblem(incomplete)).not.toMatch(/hush-hush|too short/)
    expect(signIn({ ...oidc, PUBLIC_URL: 'https://c.test/', TRUSTED_PROXIES: '10.0.0.0/8, ::1' })).toMatchObject({
      publicOrigin: 'https://c.test',
      oidc: { issuer: 'https://id.test', clientId: 'a', clientSecret: 'hush-hush' },
      trustedProxies: ['10.0.0.0/8', '::1'],
    })
  })
})

describe('the kept secret', () => {
  it('is one, however many ask for it first, and is not replaced', async () => {
    const folder = tempDir('secrets')
    const directory = join(folder.path, 'secrets')
    const secrets = await Promise.all(Array.from({ length: 20 }, () => keptSecret(directory, 'auth-secret')))
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]).toMatch(/^[\w-]{43}$/)
    expect(readdirSync(directory)).toEqual(['auth-secret'])
    expect(await keptSecret(directory, 'auth-secret')).toBe(secrets[0])
    folder.remove()
  })

  it('is refused when it was cut short', async () => {
    const folder = tempDir('secrets')
    mkdirSync(join(folder.path, 'secrets'))
    writeFileSync(join(folder.path, 'secrets', 'auth-secret'), '')
    await expect(keptSecret(join(folder.path, 'secrets'), 'auth-secret')).rejects.toThrow('is damaged')
    folder.remove()
  })
})
