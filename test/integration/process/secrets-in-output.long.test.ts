import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { startModelServer } from '../../support/models/model-server.ts'
import { openAiSettings } from '../../support/models/remote-models.ts'
import { environmentOf, startServerProcess } from '../../support/process/server-process.ts'

/** Everything that a running process prints, at its most talkative, while its engines work and while they fail. */

const secret = (name: string) => `zq${name}${randomBytes(16).toString('hex')}`

it('neither the log nor the metrics of a process hold secrets, texts or what callers sent', async () => {
  const storage = await createStorage()
  await using models = await startModelServer()
  const secrets = {
    SUPER_ADMIN_TOKEN: secret('admin'),
    AUTH_SECRET: secret('auth'),
    AUDIT_QUERY_SECRET: secret('query'),
    METRICS_TOKEN: secret('metrics'),
    CRON_SECRET: secret('cron'),
    STRIPE_SECRET_KEY: `sk_test_${secret('stripe')}`,
    STRIPE_WEBHOOK_SECRET: `whsec_${secret('hook')}`,
  }
  const models1 = openAiSettings(models.url)
  const service = await startServerProcess({
    ...environmentOf(storage),
    ...models1,
    ...secrets,
    LOG_LEVEL: 'debug',
    METRICS_PORT: '0',
  })
  const sent = Array.from({ length: 12 }, (_, i) => secret(`sent${i}`))
  const word = (i: number) => sent[i] ?? ''
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const init = { method, headers: { 'content-type': 'application/json', ...headers }, ...payload }
    return (await fetch(`${service.url}${path}`, { ...init, redirect: 'manual' })).text()
  }
  const { tokens } = JSON.parse(await call('POST', '/v1/admin/seed', {})) as { tokens: Record<string, string> }
  const authorization = `Bearer ${tokens.admin}`
  // A namespace of its own has a name that begins as the address does.
  const email = 'signs-up@example.com'
  const signUp = (origin: string) =>
    fetch(`${service.url}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ name: word(1), email, password: word(7) }),
    })
  expect((await signUp('https://evil.test')).status).toBe(403)
  const signedUp = await signUp(service.url)
  expect(signedUp.status).toBe(200)
  const [cookie = ''] = `${signedUp.headers.get('set-cookie')}`.split(';')
  const own = { cookie, 'sec-fetch-site': 'same-origin' }
  expect((await fetch(`${service.url}/v1/context`, { headers: own })).status).toBe(200)
  const units = [{ text: word(0), title: word(1), modality: 'text', metadata: { note: word(2) } }]
  const ask = async () => {
    await call('POST', '/v1/ingest', { units }, { authorization, 'x-svc-scope': 'general' })
    await call('POST', '/v1/search', { q: word(3), answer: true, rerank: true }, { authorization })
    await call(
      'POST',
      '/graphql',
      { query: `query ${word(4)} { units(limit: 3) { units { text } } }` },
      { authorization },
    )
    await call('POST', '/graphql', { query: '{ nothing }', variables: { a: word(5) } }, { authorization })
    await call('POST', '/api/auth/sign-in/email', { email: `${word(6)}@example.com`, password: word(7) })
    await call('PUT', `/uploads/${word(8)}?x=${word(9)}`, {})
    await call('GET', `/sources/${word(8)}`)
    await call('GET', `/v1/units/${word(10)}?q=${word(9)}`, undefined, { authorization })
    await call('GET', '/v1/context', undefined, { authorization: `Bearer ${word(11)}`, cookie: `a=${word(11)}` })
    await call('POST', '/v1/billing/webhook', { id: word(9) }, { 'stripe-signature': word(11) })
    await call('GET', '/v1/context', undefined, { authorization: `Bearer ${secrets.SUPER_ADMIN_TOKEN}` })
  }
  await ask()
  models.always = { kind: 'status', status: 500 }
  await ask()
  const address = /^ {2}metrics +(\S+)/m.exec(service.stdout)?.[1] ?? ''
  const scraped = await fetch(address, { headers: { authorization: `Bearer ${secrets.METRICS_TOKEN}` } })
  const metrics = await scraped.text()
  expect(metrics).toContain('retrieval_inference_duration_seconds_count')
  service.kill('SIGTERM')
  expect((await service.exited).code).toBe(0)
  await storage.remove()
  const told = { stdout: service.stdout, stderr: service.stderr, metrics }
  // The log did say something, of the failing models too.
  expect(told.stderr.split('\n').length).toBeGreaterThan(20)
  expect(told.stderr).toContain('"level":40')
  const keys = Object.entries(models1).flatMap(([name, value]) => (name.endsWith('_KEY') ? value : []))
  const session = `${cookie.split('=')[1]}`
  const all = [...Object.values(secrets), ...Object.values(tokens), ...keys, ...sent, session, email]
  for (const [where, text] of Object.entries(told)) {
    expect(
      all.filter((one) => text.includes(one)),
      where,
    ).toEqual([])
  }
}, 300_000)
