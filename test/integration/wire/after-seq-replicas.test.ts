import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

describe.skipIf(!process.env.TEST_DATABASE_URL)(
  'after a write through another replica (needs TEST_DATABASE_URL)',
  () => {
    const apps: TestApp[] = []
    let [ann, bob] = ['', '']
    const [writer, reader] = [() => apps[0] as TestApp, () => apps[1] as TestApp]
    beforeAll(async () => {
      const first = await boot({ config: { ingestWaitMs: 0 } })
      apps.push(first)
      apps.push(await boot({ storage: { ...first.storage, dataDir: `${first.storage.dataDir}/other` } }))
      ann = await first.principal({ id: 'ann', namespace: 'acme' })
      bob = await first.principal({ id: 'bob', namespace: 'acme', groups: ['staff'] })
    })
    afterAll(async () => {
      await apps[1]?.close({ keep: true })
      await apps[0]?.close()
    })

    const seqOf = ({ headers }: { headers: Headers }) => ({ 'x-svc-after-seq': headers.get('x-svc-seq') ?? 'none' })
    const search = async (q: string, headers: Record<string, string>) => {
      const { status, body } = await reader().call('POST', '/v1/search', { token: bob, headers, body: { q } })
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.trace.index_seq).toBeGreaterThanOrEqual(Number(headers['x-svc-after-seq']))
      return body.hits.map((hit: { unit_id: string }) => hit.unit_id)
    }

    test('a read never shows an earlier text or access list', async () => {
      const change =
        'mutation ($id: String!, $input: UpdateUnitInput!) { updateUnit(unitId: $id, input: $input) { seq } }'
      for (let round = 0; round < 4; round++) {
        const units = [{ scope: 'a', text: `heron${round}`, acl_groups: ['staff'] }]
        const made = await writer().call('POST', '/v1/ingest', { token: ann, body: { units } })
        const [{ unit_id: id }] = made.body.units
        expect(await search(`heron${round}`, seqOf(made))).toContain(id)
        const closed = await writer().graphql(change, { id, input: { aclGroups: [] } }, { token: ann })
        expect(closed.body.errors).toBeUndefined()
        const after = seqOf(closed)
        expect(await search(`heron${round}`, after)).not.toContain(id)
        expect((await reader().call('GET', `/v1/units/${id}`, { token: bob, headers: after })).status).toBe(404)
        const opened = await writer().graphql(change, { id, input: { aclGroups: ['staff'] } }, { token: ann })
        expect(await search(`heron${round}`, seqOf(opened))).toContain(id)
      }
    })

    test('grants that were made and revoked count at once', async () => {
      const guest = await writer().principal({ id: 'guest', namespace: 'other' })
      const read = (headers: Record<string, string>) =>
        reader().call('GET', '/v1/scopes', { token: guest, namespace: 'acme', headers })
      for (let round = 0; round < 3; round++) {
        const body = { principal_id: 'guest', scope: 'a', perms: ['read'] }
        const granted = await writer().call('POST', '/v1/grants', { token: ann, body })
        expect((await read(seqOf(granted))).status).toBe(200)
        const revoked = await writer().call('DELETE', `/v1/grants/${granted.body.id}`, { token: ann })
        expect(revoked.status).toBe(200)
        expect((await read(seqOf(revoked))).status).toBe(403)
      }
    })
  },
)
