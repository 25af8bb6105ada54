import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'
import { createFaultyIndex } from '../../support/index/faulty-index.ts'
import { mutationsOf } from '../../support/mutations.ts'

interface Hit {
  unit_id: string
  external_id: string
  text: string
}

let app: TestApp
const { vectors, texts, faults, close } = createFaultyIndex()

beforeAll(async () => {
  app = await boot({ config: { ingestWaitMs: 100 }, bindings: { vectors, texts } })
})

afterAll(async () => {
  release()
  await app.close()
  await close()
})

const hold = () => {
  for (const fault of Object.values(faults)) fault.hold()
}
const release = () => {
  for (const fault of Object.values(faults)) fault.release()
}

/** Creates a namespace with two members of one group; the first one owns the ingested Units. */
async function tenant(name: string) {
  const grants = [{ scope: '*', perms: ['read', 'write', 'admin'] as const }]
  const member = (id: string) => app.principal({ id: `${name}-${id}`, namespace: name, groups: ['crew'], grants })
  const [owner, reader] = [await member('owner'), await member('reader')]
  const ingest = (units: readonly object[], scope = 'dock') =>
    app.call('POST', '/v1/ingest', { token: owner, scope, body: { units } })
  const search = (body: object, token = reader) => app.call('POST', '/v1/search', { token, body })
  const pending = async () => {
    const { body } = await app.call('GET', '/v1/compaction', { token: owner })
    return body.planes.reduce((sum: number, plane: { pending: number }) => sum + plane.pending, 0)
  }
  const caughtUp = async () => {
    const behind = async () => {
      const { trace } = (await search({ q: 'anything' })).body
      return trace.seq - trace.index_seq
    }
    await expect.poll(behind).toBe(0)
  }
  return { owner, reader, ingest, search, pending, caughtUp }
}

const lanterns = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ external_id: `${i}`, text: `lantern ${i}`, acl_groups: ['crew'] }))

const externalIds = ({ body }: Reply): string[] => body.hits.map((hit: Hit) => hit.external_id)

describe('a Unit that went while the index is behind', () => {
  const lit = { q: 'lantern', top_k: 5 }
  type Tenant = Awaited<ReturnType<typeof tenant>>

  const remove = async ({ owner }: Tenant, ids: readonly string[], hard: boolean) => {
    for (const external_id of ids) {
      const body = { filter: { external_id }, hard }
      expect((await app.call('POST', '/v1/units:delete', { token: owner, body })).body.matched).toBe(1)
    }
  }

  const ways: Record<string, (to: Tenant, gone: readonly string[]) => Promise<void>> = {
    'by a soft delete': (to, gone) => remove(to, gone, false),
    'by a hard delete': (to, gone) => remove(to, gone, true),
    'by narrowing its ACL': async ({ ingest }, gone) => {
      const narrowed = gone.map((external_id) => ({ external_id, text: `lantern ${external_id}`, acl_groups: [] }))
      expect((await ingest(narrowed)).body).toMatchObject({ counts: { updated: gone.length }, indexed: false })
    },
  }

  for (const [name, take] of Object.entries(ways)) {
    test(`${name} never comes back, and others take its place`, async () => {
      const to = await tenant(`gone-${name.replaceAll(' ', '-').toLowerCase()}`)
      await to.ingest(lanterns(9))
      await to.caughtUp()
      const gone = externalIds(await to.search(lit)).slice(0, 4)
      const units = (await to.search(lit)).body.hits.slice(0, 4).map((hit: Hit) => hit.unit_id)
      hold()
      try {
        await take(to, gone)
        const stale = await to.search(lit)
        expect(stale.body.trace.index_seq).toBeLessThan(stale.body.trace.seq)
        expect(externalIds(stale)).toHaveLength(5)
        for (const id of gone) expect(externalIds(stale)).not.toContain(id)
        for (const unitId of units) {
          expect((await app.call('GET', `/v1/units/${unitId}`, { token: to.reader })).status).toBe(404)
        }
      } finally {
        release()
      }
      await to.caughtUp()
      const fresh = await to.search(lit)
      expect(externalIds(fresh)).toHaveLength(5)
      for (const id of gone) expect(externalIds(fresh)).not.toContain(id)
    })
  }

  test('tells of itself by no count and no score', async () => {
    const to = await tenant('gone-unseen')
    const near = (cosine: number) => ({ vector: [cosine, Math.sqrt(1 - cosine ** 2), 0, 0] })
    const cosines = [1, 0.8, 0.6, 0.4]
    await to.ingest(lanterns(4).map((unit, i) => ({ ...unit, ...near(cosines[i] ?? 0) })))
    await to.caughtUp()
    const nearest = { q: '', vector: { text: [1, 0, 0, 0] }, top_k: 2 }
    const told = async () => {
      const { hits, trace } = (await to.search(nearest)).body
      const legs = trace.legs.map(({ leg, candidates }: { leg: string; candidates: number }) => [leg, candidates])
      return {
        legs,
        hits: hits.map(({ external_id, score }: { external_id: string; score: number }) => [external_id, score]),
      }
    }
    expect(await told()).toMatchObject({
      legs: [['vector:text', 4]],
      hits: [['0', expect.any(Number)], expect.anything()],
    })
    hold()
    let stale: unknown
    try {
      await remove(to, ['3'], false)
      await to.ingest([{ external_id: '0', text: 'lantern 0', acl_groups: [], ...near(1) }])
      stale = await told()
    } finally {
      release()
    }
    await to.caughtUp()
    expect(stale).toMatchObject({ legs: [['vector:text', 2]] })
    expect(stale).toEqual(await told())
  })

  test('with its scope never comes back, not even when the scope is made again', async () => {
    const to = await tenant('gone-scope')
    await to.ingest(lanterns(6), 'dock/old')
    await to.ingest(
      lanterns(3).map((unit) => ({ ...unit, external_id: `kept-${unit.external_id}` })),
      'dock/new',
    )
    await to.caughtUp()
    hold()
    try {
      const deletion = await app.call('DELETE', '/v1/scopes/dock%2Fold', { token: to.owner })
      expect(deletion.body).toMatchObject({ deleted: true, scopes: 1 })
      const kept = ['kept-0', 'kept-1', 'kept-2']
      expect(externalIds(await to.search(lit)).sort()).toEqual(kept)
      const again = await app.call('POST', '/v1/scopes', { token: to.owner, body: { scope: 'dock/old' } })
      expect(again.status).toBe(200)
      expect(externalIds(await to.search(lit)).sort()).toEqual(kept)
      await app.runtime.domain.background.idle()
      expect(externalIds(await to.search(lit)).sort()).toEqual(kept)
    } finally {
      release()
    }
    await to.caughtUp()
    expect(externalIds(await to.search({ ...lit, scope: 'dock/old' }))).toEqual([])
  })

  test('does not starve a search, however many went', async () => {
    const to = await tenant('gone-many')
    await to.ingest(lanterns(520).map((unit, i) => ({ ...unit, doc_id: i < 515 ? 'doomed' : 'kept' })))
    await to.caughtUp()
    hold()
    try {
      const body = { filter: { doc_id: 'doomed' } }
      expect((await app.call('POST', '/v1/units:delete', { token: to.owner, body })).body.tombstoned).toBe(515)
      const found = externalIds(await to.search(lit))
      expect(found.sort()).toEqual(['515', '516', '517', '518', '519'])
    } finally {
      release()
    }
  })

  test('by an update of its readers is not found by the next search', async () => {
    const to = await tenant('closed')
    const [{ unit_id }] = (await to.ingest(lanterns(1))).body.units
    await to.caughtUp()
    expect(externalIds(await to.search(lit))).toEqual(['0'])
    hold()
    try {
      const update = mutationsOf(app).updateUnit(unit_id, { aclGroups: [] }, { token: to.owner })
      const get = () => app.call('GET', `/v1/units/${unit_id}`, { token: to.reader })
      await expect.poll(async () => (await get()).status).toBe(404)
      const { hits, trace } = (await to.search(lit)).body
      expect(hits).toEqual([])
      expect(trace.index_seq).toBeLessThan(trace.seq)
      expect((await update).data).toMatchObject({ unit: { unitId: unit_id }, indexed: false })
    } finally {
      release()
    }
  })

  test('in a plane that its scope has closed since is not found, even where the indexes still hold it in another', async () => {
    const to = await tenant('plane-closed')
    const [lantern] = lanterns(1)
    const [{ unit_id }] = (await to.ingest([lantern ?? {}])).body.units
    await to.caughtUp()
    await app.call('POST', '/v1/scopes', { token: to.owner, body: { scope: 'open' } })
    hold()
    try {
      const { units } = (await to.ingest([{ ...lantern, modality: 'image' }])).body
      expect(units).toMatchObject([{ unit_id, status: 'updated' }])
      expect(externalIds(await to.search(lit))).toEqual(['0'])
      await mutationsOf(app).updateScope('dock', { planes: ['text'] }, { token: to.owner })
      const { hits, trace } = (await to.search(lit)).body
      expect([hits, trace.clamped_planes]).toEqual([[], []])
    } finally {
      release()
    }
  })

  test('by a change of its text is shown as it now is', async () => {
    const to = await tenant('changed')
    await to.ingest(lanterns(1))
    await to.caughtUp()
    hold()
    try {
      await to.ingest([{ external_id: '0', text: 'candle', acl_groups: ['crew'] }])
      const { body } = await to.search(lit)
      expect(body.hits.map((hit: Hit) => hit.text)).not.toContain('lantern 0')
    } finally {
      release()
    }
    await to.caughtUp()
    expect(externalIds(await to.search({ q: 'candle' }))).toEqual(['0'])
  })
})

describe('an index that throws', () => {
  test('on search leaves the answer to the other leg, and is named', async () => {
    const to = await tenant('search-fails')
    await to.ingest([{ ...lanterns(1)[0], vector: [1, 0, 0, 0] }, { ...lanterns(2)[1] }])
    await to.caughtUp()
    const query = { q: 'lantern', vector: { text: [1, 0, 0, 0] } }
    for (const [broken, leg, left] of [
      ['texts', 'text', 'vector:text'],
      ['vectors', 'vector:text', 'text'],
    ] as const) {
      faults[broken].searchFails = true
      const { status, body } = await to.search(query)
      faults[broken].searchFails = false
      expect(status).toBe(200)
      expect(body.trace.degraded).toContain(leg)
      expect(body.trace.legs.map((l: { leg: string }) => l.leg)).toContain(left)
      expect(body.hits.map((hit: Hit) => hit.external_id)).toContain('0')
      expect(JSON.stringify(body)).not.toContain('does not answer')
    }
    expect((await to.search(query)).body.trace.degraded).toEqual([])
  })

  test('on apply keeps no ingest from being durable, and catches up when it is back', async () => {
    const to = await tenant('apply-fails')
    await to.ingest(lanterns(1))
    await to.caughtUp()
    faults.texts.applyFails = true
    const { status, body } = await to.ingest([{ external_id: 'late', text: 'anchor', acl_groups: ['crew'] }])
    const read = await app.call('GET', `/v1/units/${body.units[0].unit_id}`, { token: to.reader })
    const waiting = await to.pending()
    faults.texts.applyFails = false
    expect([status, body.indexed, read.status, waiting]).toEqual([200, false, 200, 1])
    await to.caughtUp()
    expect(externalIds(await to.search({ q: 'anchor', top_k: 1 }))).toEqual(['late'])
    expect(await to.pending()).toBe(0)
  })
})
