import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../../src/config.ts'
import { errorOf } from '../../support/access/api-keys.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'
import { makeDocx } from '../../support/documents/make-office.ts'
import { bootReplica } from '../../support/process/boot-replica.ts'
import { type S3Fault, type S3Server, startS3Server } from '../../support/s3/server.ts'
import { sourcesOf } from '../../support/sources/uploads.ts'
import { waited } from '../../support/waited.ts'

let s3: S3Server
let app: TestApp
let token: string

const objectsIn = ({ endpoint, region, bucket, credentials }: S3Server): Config['objects'] => ({
  kind: 's3',
  ...{ endpoint, region, bucket, credentials },
})

beforeAll(async () => {
  s3 = await startS3Server()
  app = await boot({ config: { objects: objectsIn(s3) } })
  token = await app.principal({ id: 'librarian', namespace: 'library', tier: 'enterprise' })
})
beforeEach(() => {
  s3.always = null
})
afterAll(async () => {
  s3.always = null
  await app.close()
  await s3.close()
})

const upload = (text: string, at = app) =>
  at.graphql(
    'mutation ($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }',
    { input: { data: Buffer.from(text).toString('base64') } },
    { token },
  )

/** Creates a Unit with an uploaded source; returns its id. */
async function unitWithSource(text: string): Promise<string> {
  const { body } = await upload(text)
  const units = [{ text, source_uri: body.data.createSource.sourceUri }]
  const ingested = await app.call('POST', '/v1/ingest', { token, scope: 'shelf', body: { units } })
  return ingested.body.units[0].unit_id
}

const erase = (id: string) => app.call('POST', '/v1/units:delete', { token, body: { ids: [id], hard: true } })

async function leftOf(seq: number): Promise<{ engine: string; erased: number; remaining: number }> {
  const query = 'query ($seq: SafeInt!) { deletionReceipt(seq: $seq) { stores { store engine erased remaining } } }'
  const { body } = await app.graphql(query, { seq }, { token })
  const { store, ...left } = body.data.deletionReceipt.stores.at(-1)
  expect(store).toBe('object_store')
  return left
}

const uploadsRecorded = async () => {
  const { body } = await app.call('GET', '/v1/audit', { token })
  return body.rows.filter(({ action }: { action: string }) => action === 'source.create').length
}

const storedTexts = () => [...s3.objects.values()].map(String)
const bindings = async (at = app) => (await at.call('GET', '/v1/health')).body

describe('a source in S3', () => {
  it('is kept under the ids of its namespace and its own, and goes with its last Unit', async () => {
    const id = await unitWithSource('a film')
    expect([...s3.objects.keys()]).toEqual([expect.stringMatching(/^sources\/[\w-]+\/source_\w{22}$/)])
    expect(storedTexts()).toEqual(['a film'])
    expect((await bindings()).bindings.object_store).toBe('s3')
    const { body } = await erase(id)
    expect(body).toMatchObject({ purged: 1, sources_purged: 1 })
    expect(s3.objects.size).toBe(0)
    expect(await leftOf(body.seq)).toEqual({ engine: 's3', erased: 1, remaining: 0 })
  })
})

describe('a document and its links in S3', () => {
  const docx = makeDocx('<w:p><w:r><w:t>The pilot boards at the outer buoy.</w:t></w:r></w:p>')
  const linkTo = async (rendition: string) => {
    const { body } = await app.call('GET', '/v1/units', { token })
    const unit = body.units.find(({ doc_id }: { doc_id: string | null }) => doc_id === 'pilot.docx')
    const link = await sourcesOf(app).sourceLink({ unitId: unit.unit_id, rendition }, { token })
    return link.body.data.sourceLink.url as string
  }

  it('opens, in ranges too, on every replica', async () => {
    expect(await taken(app, token, 'pilot.docx', docx, { scope: 'shelf' })).toMatchObject({ status: 'ready' })
    const replica = await bootReplica(app, { config: { objects: objectsIn(s3) } })
    const [original, text] = [await linkTo('original'), await linkTo('text')]
    for (const at of [app, replica]) {
      const whole = await sourcesOf(at).send('GET', original, null)
      expect([whole.status, docx.equals(whole.bytes)]).toEqual([200, true])
      const part = await sourcesOf(at).send('GET', original, null, { range: 'bytes=2-5' })
      expect([part.status, docx.subarray(2, 6).equals(part.bytes)]).toEqual([206, true])
      expect(`${(await sourcesOf(at).send('GET', text, null)).bytes}`).toContain('outer buoy')
    }
    await replica.close()
  })

  for (const fault of ['error', 'reset', 'web-page'] as const) {
    it(`a link is answered 503 and works again later: ${fault}`, async () => {
      const url = await linkTo('original')
      s3.always = fault
      const away = await sourcesOf(app).send('GET', url, null)
      expect(away).toMatchObject({ status: 503, body: { error: 'source_store_unavailable', status: 503 } })
      s3.always = null
      expect((await sourcesOf(app).send('GET', url, null)).status).toBe(200)
    })
  }

  it('goes from the store with a hard deletion, with its text', async () => {
    const { documentId } = await taken(app, token, 'again.docx', docx, { scope: 'shelf' })
    const mutation = 'mutation ($ids: [String!]!) { deleteDocuments(documentIds: $ids, hard: true) { sourcesPurged } }'
    const pilot = await app.graphql('{ documents { documents { documentId } } }', {}, { token })
    const ids = pilot.body.data.documents.documents.map((one: { documentId: string }) => one.documentId)
    expect(ids).toContain(documentId)
    expect((await app.graphql(mutation, { ids }, { token })).body.data.deleteDocuments).toEqual({ sourcesPurged: 2 })
    await app.runtime.domain.background.idle()
    await expect.poll(() => s3.objects.size).toBe(0)
  })
})

describe('while S3 fails', () => {
  const faults: S3Fault[] = ['error', 'reset', 'web-page']
  for (const fault of faults) {
    it(`an upload is refused and nothing of it is kept: ${fault}`, async () => {
      const before = await uploadsRecorded()
      s3.always = fault
      const reply = await upload('never kept')
      expect(errorOf(reply)).toEqual({
        status: 503,
        code: 'source_store_unavailable',
        detail: 'the source store is unavailable; try again later',
      })
      expect(await uploadsRecorded()).toBe(before)
      expect(storedTexts()).not.toContain('never kept')
    })
  }

  for (const fault of ['error', 'hang', 'web-page'] as const) {
    it(`a hard delete takes the Unit at once and its source later, and says so: ${fault}`, async () => {
      const id = await unitWithSource(`a film, ${fault}`)
      s3.always = fault
      const { result, ms } = await waited(() => erase(id))
      expect(ms).toBeLessThan(4000)
      const { status, body } = result
      expect(status).toBe(200)
      expect(body).toMatchObject({ matched: 1, purged: 1, sources_purged: 0 })
      expect((await app.call('GET', `/v1/units/${id}`, { token })).status).toBe(404)
      expect(await leftOf(body.seq)).toEqual({ engine: 's3', erased: 0, remaining: 1 })
      s3.always = null
      await expect.poll(async () => (await leftOf(body.seq)).remaining, { interval: 200 }).toBe(0)
      expect(storedTexts()).not.toContain(`a film, ${fault}`)
    })
  }

  it('health reports it in time, and the rest continues', async () => {
    for (const fault of ['hang', 'error', 'web-page'] as const) {
      s3.always = fault
      const { result, ms } = await waited(bindings)
      expect(ms).toBeLessThan(2500)
      const { status, bindings: named } = result
      expect([status, named.object_store]).toEqual(['degraded', 's3 (down)'])
      const body = { units: [{ text: 'a lighthouse keeper' }] }
      expect((await app.call('POST', '/v1/ingest', { token, scope: 'shelf', body })).status).toBe(200)
      const found = await app.call('POST', '/v1/search', { token, body: { q: 'lighthouse' } })
      expect(found.body.hits[0].text).toBe('a lighthouse keeper')
    }
  })

  it('a bucket that is not there, or a wrong key, is reported as down, and no upload leaks why', async () => {
    const { credentials } = s3
    for (const changes of [
      { bucket: 'no-such-bucket' },
      { credentials: { ...credentials, secretAccessKey: 'wrong-secret' } },
    ]) {
      const replica = await bootReplica(app, { config: { objects: objectsIn({ ...s3, ...changes }) } })
      expect((await bindings(replica)).bindings.object_store).toBe('s3 (down)')
      const reply = await upload('never kept', replica)
      expect(errorOf(reply)?.code).toBe('source_store_unavailable')
      expect(JSON.stringify(reply.body)).not.toMatch(/NoSuchBucket|no-such-bucket|403|404|Signature|secret/)
      await replica.close()
    }
  })
})
