import { describe, expect, it } from 'vitest'
import { readConfig, unreadSettings } from '../../src/config.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const lines = (problem: string) => problem.split('\n').slice(1)

describe('settings', () => {
  it('are refused by name, all at once, in a line each and without their values', () => {
    const wrong = {
      PORT: 'abc',
      DRAIN_MS: '-1',
      INDEX_THREADS: '0x2',
      MAX_SOURCE_MB: '1e9',
      PUBLIC_URL: 'hush.example.com',
      ALLOWED_ORIGINS: 'https://hush.example.com/',
      INFERENCE_BASE_URL: 'hush',
      MEILI_URL: 'hush',
      REDIS_URL: 'hush',
      DATABASE_URL: 'mysql://hush',
      METRICS_PORT: '65536',
      STRIPE_WEBHOOK_SECRET: 'whsec_hush',
      OIDC_CLIENT_ID: 'hush',
      S3_ACCESS_KEY_ID: 'hush',
      SIGN_UP: 'hush.example.com',
    }
    const problem = configProblem(wrong)
    const { OIDC_CLIENT_ID: _, ...named } = wrong
    for (const name of [...Object.keys(named), 'OIDC_ISSUER']) {
      expect(lines(problem).filter((line) => line.startsWith(`  ${name}: `))).toHaveLength(1)
    }
    expect(lines(problem)).toHaveLength(15)
    expect(problem).not.toContain('hush')
  })

  it('that cannot be read are not reported to be missing, too', () => {
    const problem = configProblem({ STRIPE_SECRET_KEY: 'wrong', STRIPE_WEBHOOK_SECRET: 'whsec_x' })
    expect(lines(problem)).toEqual(['  STRIPE_SECRET_KEY: must be a secret or a restricted key'])
  })

  it('take ports from 0 to 65535, in digits', () => {
    for (const PORT of ['-1', '65536', '1e3', '0x10', ' 80', '80.5', '8 0', 'NaN']) {
      expect(configProblem({ PORT })).toContain('PORT: must be an integer from 0 to 65535')
    }
    for (const PORT of ['0', '65535', '8787']) expect(readConfig({ PORT }).port).toBe(Number(PORT))
  })

  it('take memory for bodies and answers from 16 MB on', () => {
    for (const HTTP_BUFFER_MB of ['15', '0', '-1', '1e3', '65537', '20.5']) {
      expect(configProblem({ HTTP_BUFFER_MB })).toContain('HTTP_BUFFER_MB: must be an integer from 16 to 65536')
    }
    expect(readConfig({ HTTP_BUFFER_MB: '16' }).httpBufferBytes).toBe(16 * 2 ** 20)
    expect(readConfig({}).httpBufferBytes).toBe(256 * 2 ** 20)
  })

  it('that take one of a few words say which', () => {
    const problem = configProblem({ DEFAULT_TIER: 'gold', MAIL: 'hush', SEED: 'maybe' })
    expect(lines(problem).sort()).toEqual([
      '  DEFAULT_TIER: must be free, pro or enterprise',
      '  MAIL: must be console',
      '  SEED: must be on or off',
    ])
  })

  it('take another port for metrics than for requests', () => {
    expect(configProblem({ PORT: '9464', METRICS_PORT: '9464' })).toContain('METRICS_PORT: must be another port')
    expect(readConfig({ PORT: '0', METRICS_PORT: '0' }).metrics).toMatchObject({ kind: 'on', host: '127.0.0.1' })
    expect(readConfig({}).metrics).toEqual({ kind: 'off' })
  })

  it('take origins that a browser can send', () => {
    const never = ['*', 'https://*.a.test', 'a.test', 'https://a.test/', 'https://a.test/x', 'https://A.test', 'null']
    for (const origin of [...never, 'ftp://a.test', 'https://a.test:443', 'https://u@a.test', 'https://a.test,', '']) {
      const ALLOWED_ORIGINS = `http://localhost:3000,${origin}`
      expect(configProblem({ ALLOWED_ORIGINS }), origin).toContain('ALLOWED_ORIGINS: every entry must be a bare origin')
    }
    const ALLOWED_ORIGINS = 'http://localhost:3000, https://a.test'
    expect(readConfig({ ALLOWED_ORIGINS }).allowedOrigins).toEqual(['http://localhost:3000', 'https://a.test'])
    for (const PUBLIC_URL of ['example.com', 'ftp://a.test', 'https://a.test/x', 'https://u:p@a.test', 'https://']) {
      expect(configProblem({ PUBLIC_URL }), PUBLIC_URL).toContain('PUBLIC_URL: must be an origin, such as https://')
    }
  })

  it('that look like ones and are not are found, and nothing else is', () => {
    const env = { STRIPE_SECRT_KEY: 'x', DATABSE_URL: 'x', AUDIT_READ: 'x', OIDC_SCOPES: 'x', PORT: '1', BRAND: 'x' }
    const foreign = { PATH: '/bin', HOSTNAME: 'h', REDIS_PORT_6379_TCP: 'tcp://', LOG_FORMAT: 'x', SIGN_UP: 'open' }
    expect(unreadSettings({ ...env, ...foreign })).toEqual([
      { name: 'STRIPE_SECRT_KEY', meant: 'STRIPE_SECRET_KEY' },
      { name: 'DATABSE_URL', meant: 'DATABASE_URL' },
      { name: 'AUDIT_READ', meant: 'AUDIT_READS' },
      { name: 'OIDC_SCOPES', meant: null },
    ])
  })
})
