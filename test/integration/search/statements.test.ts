import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

/** Statements that a request waits for: those that its own asynchronous calls send. */
const sent = new AsyncLocalStorage<string[]>()
const query = pg.Client.prototype.query

describe.skipIf(!process.env.TEST_DATABASE_URL)('statements of a request (needs TEST_DATABASE_URL)', () => {
  let apps: TestApp[] = []
  let [ann, bob] = ['', '']
  beforeAll(async () => {
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [first] = args as [string | { text: string }]
      sent.getStore()?.push(typeof first === 'string' ? first : first.text)
      return (query as (...args: unknown[]) => unknown).apply(this, args)
    } as typeof query
    const first = await boot()
    apps = [first, await boot({ storage: { ...first.storage, dataDir: `${first.storage.dataDir}/other` } })]
    ann = await first.principal({ id: 'ann', namespace: 'acme' })
    bob = await first.principal({ id: 'bob', namespace: 'acme', groups: ['staff'] })
    const units = Array.from({ length: 60 }, (_, i) => ({
      scope: 'a',
      text: `grey heron ${i}`,
      acl_groups: i % 2 === 0 ? ['staff'] : [],
    }))
    expect((await first.call('POST', '/v1/ingest', { token: ann, body: { units } })).status).toBe(200)
  })
  afterAll(async () => {
    pg.Client.prototype.query = query
    await apps[1]?.close({ keep: true })
    await apps[0]?.close()
  })

  const appOf = (replica: number) => apps[replica] as TestApp
  /** Sends a request through a replica; returns its answer and its statements. */
  const counted = async (replica: number, ...request: Parameters<TestApp['call']>) => {
    const statements: string[] = []
    const started = performance.now()
    const reply = await sent.run(statements, () => appOf(replica).call(...request))
    return { ...reply, statements, ms: performance.now() - started }
  }
  type Counted = Awaited<ReturnType<typeof counted>>
  /** On a busy machine a request may take so long that it reads what is true by then: it is sent again. */
  const search = async (replica: number, token: string, q: string, tries = 50): Promise<Counted> => {
    const found = await counted(replica, 'POST', '/v1/search', { token, body: { q, top_k: 10 } })
    return found.ms > 900 && tries > 1 ? search(replica, token, q, tries - 1) : found
  }

  test('a search makes at most one, over Units that were never read before, after writes of any replica', async () => {
    for (const replica of [0, 1]) await search(replica, bob, 'heron')
    for (let round = 0; round < 12; round++) {
      const [writer, reader] = round % 2 === 0 ? [0, 1] : [1, 0]
      const { body } = await counted(writer, 'POST', '/v1/ingest', {
        token: ann,
        body: { units: [{ scope: 'a', text: `white egret ${round}`, acl_groups: ['staff'] }] },
      })
      const [{ unit_id: id }] = body.units
      await expect.poll(async () => (await search(reader, bob, `egret ${round}`)).body.hits[0]?.unit_id).toBe(id)
      for (const replica of [writer, reader]) {
        for (const q of [`egret ${round}`, `heron ${round}`, `grey ${30 + round}`]) {
          const { status, statements } = await search(replica, bob, q)
          expect(status).toBe(200)
          expect(statements, statements.join('\n')).toHaveLength(1)
        }
      }
    }
    const asAdmin = await counted(1, 'POST', '/v1/search', {
      token: superAdminToken,
      namespace: 'acme',
      body: { q: 'heron' },
    })
    expect(asAdmin.body.hits).toHaveLength(10)
    expect(asAdmin.statements).toHaveLength(1)
  })

  test('what one replica revokes, closes or deletes is so in the next request through another', async () => {
    const hits = async () => (await search(1, bob, 'heron')).body.hits.map((hit: { unit_id: string }) => hit.unit_id)
    const [first, second] = await hits()
    const change =
      'mutation ($id: String!, $input: UpdateUnitInput!) { updateUnit(unitId: $id, input: $input) { seq } }'
    const closed = await appOf(0).graphql(change, { id: first, input: { aclGroups: [] } }, { token: ann })
    expect(closed.body.errors).toBeUndefined()
    expect(await hits()).not.toContain(first)
    expect((await counted(1, 'GET', `/v1/units/${first}`, { token: bob })).status).toBe(404)
    const remove = 'mutation ($input: DeleteUnitsInput!) { deleteUnits(input: $input) { seq } }'
    const deleted = await appOf(0).graphql(remove, { input: { ids: [second] } }, { token: ann })
    expect(deleted.body.errors).toBeUndefined()
    expect(await hits()).not.toContain(second)

    const made = await appOf(0).graphql(
      'mutation { createApiKey(input: { name: "k" }) { token key { id } } }',
      {},
      { token: bob },
    )
    const { token, key } = made.body.data.createApiKey
    expect((await search(1, token, 'heron')).status).toBe(200)
    const revoke = 'mutation ($id: String!) { revokeApiKey(id: $id) { revoked } }'
    const revoked = await appOf(0).graphql(revoke, { id: key.id }, { token: bob })
    expect(revoked.body.errors).toBeUndefined()
    expect((await search(1, token, 'heron')).status).toBe(401)
  })
})
