import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { bootReplica } from '../../support/process/boot-replica.ts'

let app: TestApp
let replica: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'writer', namespace: 'coast' })
  replica = await bootReplica(app, {})
})
afterAll(async () => {
  await replica.close()
  await app.close()
})

test('of the same write on two replicas, one has the effect, and both have its answer', async () => {
  for (const [path, body] of [
    ['/v1/ingest', { units: [{ text: 'A boat.', scope: 'pier' }] }],
    ['/v1/principals', { name: 'new' }],
    ['/v1/grants', { principal_id: 'writer', scope: 'pier', perms: ['read'] }],
  ] as const) {
    const options = { token, body, headers: { 'idempotency-key': path } }
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? app : replica).call('POST', path, options)),
    )
    const texts = all.map(({ status, body }) => JSON.stringify([status, { ...body, indexed: true }]))
    expect(new Set(texts)).toHaveLength(1)
    expect(all[0]?.status).toBe(200)
    expect(all.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
  }
  expect((await app.call('GET', '/v1/units', { token })).body.units).toHaveLength(1)
  expect((await app.call('GET', '/v1/principals', { token })).body.principals).toHaveLength(2)
  expect((await app.call('GET', '/v1/grants', { token })).body.grants).toHaveLength(2)
})
