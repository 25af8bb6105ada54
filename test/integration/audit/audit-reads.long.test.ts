import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { createRecordQueue } from '../../../src/domain/audit/record-reads.ts'
import { createLog } from '../../../src/log.ts'
import type { AuditConfig } from '../../../src/settings/audit.ts'
import { superAdminToken, type TestApp } from '../../support/boot.ts'
import { type ObservedCatalog, openObserved } from '../../support/database/observed-catalog.ts'
import { waited } from '../../support/waited.ts'

let observed: ObservedCatalog
beforeAll(async () => {
  observed = await openObserved()
})
afterAll(() => observed.close())

const open = (reads: AuditConfig['reads'], queries: AuditConfig['queries'] = { kind: 'hash', secret: null }) =>
  observed.app({ reads, queries })

const isRead = (action: string) => ['search.run', 'answer.run', 'units.get', 'units.list'].includes(action)
const readsOf = async (namespace: string) => (await observed.chain(namespace)).filter(({ action }) => isRead(action))
const readGroups = () => observed.groups.filter((group) => group.some(isRead))

const search = (app: TestApp, token: string, q: string, requestId = 'r') =>
  app.call('POST', '/v1/search', { token, body: { q, top_k: 3 }, headers: { 'x-request-id': requestId } })

async function addUnit(app: TestApp, token: string, text: string): Promise<string> {
  const { body } = await app.call('POST', '/v1/ingest', { token, scope: 'a', body: { units: [{ text }] } })
  return body.units[0].unit_id
}

test('a search, a read of a Unit and a listing stand in the chain of the namespace, failures do not', async () => {
  const app = await open('async')
  const token = await app.principal({ id: 'ann-rows', namespace: 'rows' })
  const unitId = await addUnit(app, token, 'a red fox')
  await search(app, token, 'fox', 'searched')
  await app.call('GET', `/v1/units/${unitId}`, { token, headers: { 'x-request-id': 'got' } })
  await app.graphql('query($id: String!) { unit(unitId: $id) { unitId } }', { id: unitId }, { token })
  await app.call('GET', '/v1/units?limit=7', { token, scope: 'a', headers: { 'x-request-id': 'listed' } })
  await app.graphql('{ units(cursor: 1) { units { text } } }', {}, { token })
  await app.call('GET', '/v1/units?limit=0', { token })
  await app.call('GET', '/v1/units/unit_unknown', { token })
  await app.call('POST', '/v1/search', { token, body: { q: '' } })
  await expect.poll(() => readsOf('rows')).toHaveLength(5)
  const row = (action: string, requestId: string, target: string | null, detail: object) => ({
    ...{ principalId: 'ann-rows', action, target, outcome: 'ok', requestId, detail },
  })
  const planes = 'text,visual,audio,doc_visual'
  const query_hmac = expect.stringMatching(/^[0-9a-f]{64}$/)
  expect(await readsOf('rows')).toEqual([
    row('search.run', 'searched', null, { planes, top_k: 3, hits: 1, query_hmac }),
    row('units.get', 'got', unitId, {}),
    row('units.get', expect.stringMatching(/./), unitId, {}),
    row('units.list', 'listed', 'a', { units: 1, limit: 7, cursor: 0 }),
    row('units.list', expect.stringMatching(/./), '*', { units: 0, limit: 100, cursor: 1 }),
  ])
  expect(JSON.stringify(await observed.chain('rows'))).not.toContain('fox')
})

test('an answer stands there as one, with counts and never its text', async () => {
  const app = await open('sync')
  const token = await app.principal({ id: 'ann-answers', namespace: 'answers' })
  await addUnit(app, token, 'The fox sleeps under the jetty.')
  const ask = (path: string, body: object) => app.call('POST', path, { token, body })
  await ask('/v1/answer', { q: 'where does the fox sleep', top_k: 3 })
  await ask('/v1/search', { q: 'where does the fox sleep', top_k: 3, answer: true })
  await ask('/v1/answer', { q: 'who wrote Hamlet', top_k: 3 })
  const rows = await readsOf('answers')
  expect(rows.map(({ action, target }) => [action, target])).toEqual(Array(3).fill(['answer.run', null]))
  const query_hmac = expect.stringMatching(/^[0-9a-f]{64}$/)
  const detail = { planes: 'text,visual,audio,doc_visual', top_k: 3, hits: 1, query_hmac }
  expect(rows[0]?.detail).toEqual({ ...detail, citations: 1, abstained: false, steps: expect.any(Number) })
  expect(rows[1]?.detail).toEqual(rows[0]?.detail)
  expect(rows[2]?.detail).toMatchObject({ citations: 0, abstained: true })
  expect(JSON.stringify(rows)).not.toMatch(/jetty|Hamlet/)
})

test('a row is committed within 100 ms', async () => {
  const app = await open('async')
  const token = await app.principal({ id: 'ann-prompt', namespace: 'prompt' })
  await search(app, token, 'warm up')
  await expect.poll(() => readsOf('prompt')).toHaveLength(1)
  const taken: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const before = readGroups().length
    await search(app, token, `fox ${round}`)
    const { ms } = await waited(async () => {
      await expect.poll(() => readGroups().length, { interval: 1 }).toBe(before + 1)
    })
    taken.push(ms)
  }
  // The fastest one: a machine that does much else delays some. The other 50 ms are for the commit itself.
  expect(Math.min(...taken)).toBeLessThan(100 + 50)
})

test('equal queries have equal digests within a namespace only', async () => {
  const app = await open('sync')
  const ann = await app.principal({ id: 'ann-digests', namespace: 'digests' })
  const bob = await app.principal({ id: 'bob', namespace: 'other-digests' })
  for (const token of [ann, bob]) for (const q of ['fox', 'fox', 'hen']) await search(app, token, q)
  const digests = (await Promise.all(['digests', 'other-digests'].map(readsOf)))
    .flat()
    .map((row) => row.detail.query_hmac)
  expect(digests).toHaveLength(6)
  expect(digests[1]).toBe(digests[0])
  expect(digests[4]).toBe(digests[3])
  expect(new Set(digests).size).toBe(4)
  const { mode } = statSync(join(app.storage.dataDir, 'secrets', 'audit-query-key'))
  expect(mode & 0o777).toBe(0o600)
})

test('the text of a query is kept only when that is configured; without a secret nothing is', async () => {
  const text = await open('sync', { kind: 'text' })
  const token = await text.principal({ id: 'ann-texts', namespace: 'texts' })
  await search(text, token, 'a red fox')
  expect((await readsOf('texts'))[0]?.detail).toMatchObject({ query: 'a red fox' })
  const none = await open('sync', { kind: 'none' })
  await search(none, await none.principal({ id: 'ann-nothing', namespace: 'nothing' }), 'a red fox')
  expect((await readsOf('nothing'))[0]?.detail).toEqual({ planes: expect.any(String), top_k: 3, hits: 0 })
})

test('settings: a server catalog needs a secret for digests', () => {
  const url = 'postgresql://localhost/x'
  const secret = 's'.repeat(32)
  const audit = (env: Record<string, string>) => readConfig(env).audit
  expect(audit({})).toMatchObject({ reads: 'async', queries: { kind: 'hash', secret: null } })
  expect(audit({ DATABASE_URL: url, AUDIT_READS: 'off' })).toMatchObject({ reads: 'off', queries: { kind: 'none' } })
  expect(audit({ DATABASE_URL: url, AUDIT_QUERY_SECRET: secret }).queries).toEqual({ kind: 'hash', secret })
  expect(audit({ DATABASE_URL: url, AUDIT_QUERIES: 'text' }).queries).toEqual({ kind: 'text' })
  expect(() => audit({ AUDIT_READS: 'sometimes' })).toThrow('AUDIT_READS')
})

test('many searches at once are few transactions', async () => {
  const app = await open('async')
  const token = await app.principal({ id: 'ann-many', namespace: 'many' })
  const before = readGroups().length
  let release = () => {}
  observed.faults.gate = new Promise((resolve) => {
    release = resolve
  })
  const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => search(app, token, `fox ${i}`)))
  expect(replies.every((reply) => reply.status === 200)).toBe(true)
  release()
  await expect.poll(() => readsOf('many')).toHaveLength(100)
  expect(readGroups().length - before).toBeLessThanOrEqual(2)
})

test('what was answered is written before the end', async () => {
  const app = await open('async')
  const token = await app.principal({ id: 'ann-ending', namespace: 'ending' })
  await Promise.all(Array.from({ length: 20 }, () => search(app, token, 'fox')))
  await app.runtime.domain.stop()
  expect(await readsOf('ending')).toHaveLength(20)
})

test('sync: the row is there before the answer, and without it there is none', async () => {
  const app = await open('sync')
  const token = await app.principal({ id: 'ann-durable', namespace: 'durable' })
  const unitId = await addUnit(app, token, 'a red fox')
  await search(app, token, 'fox')
  expect(await readsOf('durable')).toHaveLength(1)
  await app.call('GET', `/v1/units/${unitId}`, { token })
  expect(await readsOf('durable')).toHaveLength(2)
  observed.faults.failing = true
  const failed = await search(app, token, 'fox')
  expect(failed).toMatchObject({ status: 500, body: { error: 'internal_error' } })
  observed.faults.failing = false
  expect((await search(app, token, 'fox')).status).toBe(200)
  expect(await readsOf('durable')).toHaveLength(3)
})

test('async: rows outlive a catalog that fails for a while', async () => {
  const app = await open('async')
  const token = await app.principal({ id: 'ann-outage', namespace: 'outage' })
  observed.faults.failing = true
  for (const id of ['r1', 'r2']) expect((await search(app, token, 'fox', id)).status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await readsOf('outage')).toEqual([])
  observed.faults.failing = false
  await expect.poll(async () => (await readsOf('outage')).map((row) => row.requestId)).toEqual(['r1', 'r2'])
})

test('off, and a tier without an audit log: no reads', async () => {
  const off = await open('off')
  const token = await off.principal({ id: 'ann-without', namespace: 'without' })
  await search(off, token, 'fox')
  await off.runtime.domain.stop()
  expect(await readsOf('without')).toEqual([])
  const on = await open('sync')
  await search(on, await on.principal({ id: 'fay', namespace: 'small', tier: 'free' }), 'fox')
  await on.principal({ id: 'ann-without', namespace: 'without' })
  const asked = { token: superAdminToken, namespace: 'without', body: { q: 'fox' } }
  await on.call('POST', '/v1/search', asked)
  expect(await readsOf('small')).toEqual([])
  expect((await readsOf('without')).map((row) => row.principalId)).toEqual(['super-admin'])
})

/** A separate queue on the real catalog, and a function that adds a row for a new namespace's chain. */
async function openQueue(namespace: string, limits: { capacity: number; timeoutMs: number }) {
  const app = await open('off')
  await app.principal({ id: `of-${namespace}`, namespace })
  const id = (await observed.catalog.access.namespace(namespace))?.namespace.id ?? ''
  const lost: unknown[] = []
  const log = { ...createLog('silent'), error: (facts: object) => lost.push(facts) }
  const queue = createRecordQueue({ catalog: observed.catalog, log }, false, { groupMs: 5, ...limits })
  const entry = { time: 0, principalId: 'ann', target: null, outcome: 'ok', detail: {} } as const
  return { queue, lost, push: (requestId: string) => queue.push(id, { ...entry, action: 'search.run', requestId }) }
}

test('a full queue makes requests wait, in order, and fail in the end; it never grows', async () => {
  const { queue, push } = await openQueue('full', { capacity: 3, timeoutMs: 2000 })
  observed.faults.failing = true
  expect(['1', '2', '3'].map(push)).toEqual([undefined, undefined, undefined])
  await expect(push('4')).rejects.toThrow('could not be written')
  const waits = [push('5'), push('6')]
  expect(await Promise.race([...waits, new Promise((resolve) => setTimeout(resolve, 50, 'waiting'))])).toBe('waiting')
  observed.faults.failing = false
  await Promise.all(waits)
  await queue.stop()
  await expect(push('7')).rejects.toThrow('closed')
  expect((await readsOf('full')).map((row) => row.requestId)).toEqual(['1', '2', '3', '5', '6'])
})

test('a large group is several transactions', async () => {
  const { queue, push } = await openQueue('large', { capacity: 2000, timeoutMs: 600 })
  const before = readGroups().length
  for (let i = 0; i < 1200; i += 1) expect(push(`${i}`)).toBeUndefined()
  await queue.stop()
  const groups = readGroups().slice(before)
  expect(groups.map((group) => group.length)).toEqual([500, 500, 200])
  expect((await readsOf('large')).map((row) => row.requestId)).toEqual(Array.from({ length: 1200 }, (_, i) => `${i}`))
})

test('a stop does not wait for ever for a catalog that fails, and says what is lost', async () => {
  const { queue, push, lost } = await openQueue('lost', { capacity: 10, timeoutMs: 50 })
  observed.faults.failing = true
  expect(['1', '2'].map(push)).toEqual([undefined, undefined])
  await queue.stop()
  observed.faults.failing = false
  expect(lost.at(-1)).toEqual({ rows: 2 })
})
