import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { type S3Server, startS3Server } from '../../support/s3/server.ts'

let s3: S3Server
let app: TestApp
let token: string
const start = (storage?: TestApp['storage']) => {
  const { endpoint, region, bucket, credentials } = s3
  const anchor = { kind: 's3', prefix: 'audit', endpoint, region, bucket, credentials } as const
  return boot({ config: { anchor, audit: { checkpointMs: 0 } }, ...(storage ? { storage } : {}) })
}
beforeAll(async () => {
  s3 = await startS3Server()
  s3.conditions = false
  app = await start()
  token = await app.principal({ id: 'ada', namespace: 'anchored' })
})
afterAll(async () => {
  await app.close()
  await s3.close()
})

let scopes = 0
/** Adds a row to the log, and signs a checkpoint. */
async function sign(): Promise<number> {
  scopes += 1
  await app.call('POST', '/v1/scopes', { token, body: { scope: `s${scopes}` } })
  const { status, body } = await app.call('GET', '/v1/audit/checkpoint', { token })
  expect(status).toBe(200)
  return body.size
}
const verify = async () =>
  (await app.graphql('{ verifyAudit { intact anchor { engine size behind } } }', {}, { token })).body
const health = async () => {
  const { body } = await app.call('GET', '/v1/health')
  expect(Object.keys(body).sort()).toEqual(['bindings', 'service', 'status', 'time', 'version'])
  const { data } = (await app.graphql('{ health { status auditAnchor } }', {})).body
  expect(data.health.status).toBe(body.status)
  return data.health
}

test('a store without conditional writes keeps checkpoints all the same, each once', async () => {
  const size = await sign()
  expect([...s3.objects.values()].map((object) => JSON.parse(object.toString()).size)).toEqual([size])
  await sign()
  expect(s3.objects.size).toBe(2)
  expect(await health()).toEqual({ status: 'ok', auditAnchor: 's3' })
  const { data } = await verify()
  expect(data.verifyAudit).toEqual({ intact: true, anchor: { engine: 's3', size: 2, behind: false } })
})

test('health and verification say when the anchor is behind, also after a restart, and when it has caught up', async () => {
  s3.refuses = ['PUT']
  await sign()
  const size = await sign()
  const behind = { status: 'degraded', auditAnchor: 's3 (behind)' }
  expect(await health()).toEqual(behind)
  expect((await verify()).data.verifyAudit).toEqual({ intact: true, anchor: { engine: 's3', size: 2, behind: true } })

  await app.close({ keep: true })
  app = await start(app.storage)
  await expect.poll(health).toEqual(behind)

  s3.refuses = []
  expect((await app.call('GET', '/v1/audit/checkpoint', { token })).body.size).toBe(size)
  expect(await health()).toEqual({ status: 'ok', auditAnchor: 's3' })
  expect((await verify()).data.verifyAudit.anchor).toEqual({ engine: 's3', size, behind: false })
})

test('a log is not called intact while the anchor cannot be read', async () => {
  s3.refuses = ['GET']
  const { errors } = await verify()
  expect(errors[0].extensions).toMatchObject({ code: 'audit_anchor_unavailable', status: 503 })
  const { status, body } = await app.call('GET', '/v1/audit/verify', { token: superAdminToken, namespace: 'anchored' })
  expect([status, body.error]).toEqual([503, 'audit_anchor_unavailable'])
  s3.refuses = []
  expect((await verify()).data.verifyAudit.intact).toBe(true)
})
