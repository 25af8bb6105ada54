import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toUnitVector } from '../../../src/model/unit.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { heldBytes } from '../../support/database/held-bytes.ts'

/** Of length 1, so that it is kept as it is sent. */
const vector = [...(toUnitVector(Array.from({ length: 384 }, (_, i) => Math.sin(i + 1))) ?? [])]
const needles = [
  Buffer.from('zqshort'),
  Buffer.from('zqlong'),
  Buffer.from('zqmeta'),
  Buffer.from('zqformer'),
  Buffer.from('zqfilm'),
  Buffer.from(Float32Array.from(vector).buffer),
]

let storage: TestStorage
let token: string
// Embedded only: an external server's files depend on its own vacuum.
beforeEach(async () => {
  storage = await createStorage({ embedded: true })
})
afterEach(() => storage.remove())

/** The secrets that occur in any file of the data directory. */
const held = () => heldBytes(storage.dataDir, needles)

const filler = Array.from({ length: 60 }, (_, i) => `ordinary ${i} ${'words of the harbour '.repeat(i)}`)

async function fill(app: TestApp): Promise<string[]> {
  token = await app.principal({ id: 'keeper', namespace: 'vault' })
  const upload = await app.graphql(
    'mutation ($data: Bytes!) { createSource(input: { data: $data }) { sourceUri } }',
    { data: Buffer.from('zqfilm of the harbour').toString('base64') },
    { token },
  )
  const ingest = async (units: readonly object[]): Promise<string[]> => {
    const { status, body } = await app.call('POST', '/v1/ingest', { token, scope: 'dock', body: { units } })
    expect(status).toBe(200)
    return body.units.map((unit: { unit_id: string }) => unit.unit_id)
  }
  await ingest(filler.slice(0, 30).map((text) => ({ text, vector: vector.map(() => 0.5) })))
  await ingest([{ text: 'zqformer words', external_id: 'changed', vector }])
  const ids = await ingest([
    {
      text: 'zqshort words',
      vector,
      metadata: { note: 'zqmeta' },
      source_uri: upload.body.data.createSource.sourceUri,
    },
    { text: `zqlong ${'and many words of another kind '.repeat(500)}`, vector },
    { text: 'other words', external_id: 'changed', vector },
  ])
  await ingest(filler.slice(30).map((text) => ({ text })))
  return ids
}

async function remove(app: TestApp, ids: readonly string[]): Promise<void> {
  const { body } = await app.call('POST', '/v1/units:delete', { token, body: { ids, hard: true } })
  expect(body).toMatchObject({ purged: ids.length, sources_purged: 1 })
}

async function expectTheRest(app: TestApp): Promise<void> {
  const { body } = await app.call('GET', '/v1/units', { token })
  expect(body.units.map((unit: { text: string }) => unit.text)).toEqual(filler)
}

describe('the bytes of hard-deleted Units', () => {
  test('are gone from the data directory when the service has stopped', async () => {
    const first = await boot({ storage })
    const ids = await fill(first)
    await first.close({ keep: true })
    expect(held()).not.toEqual([])

    const second = await boot({ storage })
    await remove(second, ids)
    await second.close({ keep: true })
    expect(held()).toEqual([])

    const third = await boot({ storage })
    await expectTheRest(third)
    await third.close({ keep: true })
  })

  test('are gone within a minute while the service runs', async () => {
    const app = await boot({ storage })
    const ids = await fill(app)
    await expect.poll(held).toHaveLength(needles.length)
    await remove(app, ids)
    await expect.poll(held, { interval: 500 }).toEqual([])
    await expectTheRest(app)
    await app.close({ keep: true })
  })
})
