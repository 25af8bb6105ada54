import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { boot } from '../../support/boot.ts'
import { type Asked, startLocalPinecone } from '../../support/pinecone/local-pinecone.ts'
import { pineconeOn } from '../../support/pinecone/settings.ts'
import { createTenant } from '../../support/pinecone/tenant.ts'
import { eventually } from '../../support/waited.ts'

async function start() {
  const pinecone = await startLocalPinecone()
  const app = await boot({ config: { vectorIndex: pineconeOn(pinecone), ingestWaitMs: 100 } })
  await eventually(async () => expect((await app.call('GET', '/v1/health')).body.status).toBe('ok'))
  return {
    pinecone,
    app,
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await pinecone[Symbol.asyncDispose]()
    },
  }
}

const isUpsertOf =
  (text: string) =>
  ({ path, body, index }: Asked) =>
    path === '/vectors/upsert' && index !== null && JSON.stringify(body).includes(text)

async function tenant({ app, pinecone }: Awaited<ReturnType<typeof start>>, name: string) {
  const made = await createTenant(app, pinecone, name)
  const pending = async () => {
    const { body } = await made.call('GET', '/v1/compaction')
    return body.planes.reduce((sum: number, plane: { pending: number }) => sum + plane.pending, 0)
  }
  return {
    ...made,
    pending,
    /** Checks that when nothing is pending, Pinecone holds only these Units, and that this remains so. */
    expectOnly: async (externalIds: string[]) => {
      await eventually(async () => expect(await pending()).toBe(0))
      const held = () => made.records().map(({ metadata }) => metadata.external_id)
      expect(held()).toEqual(externalIds)
      expect((await made.call('POST', '/v1/compaction')).body.planes).toEqual(
        expect.arrayContaining([expect.objectContaining({ plane: 'text', removed: 0 })]),
      )
    },
  }
}

const lantern = (external_id: string, more: object = {}) => ({
  ...{ external_id, text: `a lantern, ${external_id}`, vector: [1, 0, 0] },
  ...more,
})

// They mostly wait, so they run concurrently.
test.concurrent('a put that Pinecone does after the deletion that followed it is deleted again before nothing is pending', async ({
  expect,
}) => {
  await using service = await start()
  const { pinecone } = service
  const { ingest, call, records, pending, expectOnly } = await tenant(service, 'late')
  await ingest([lantern('kept')])
  await expect.poll(pending).toBe(0)
  pinecone.faulty = isUpsertOf('doomed')
  // The service gives up after 6 s, and the Unit is deleted in the meantime.
  pinecone.faults = [{ kind: 'late', ms: 9000 }]
  await ingest([lantern('doomed')])
  await call('POST', '/v1/units:delete', { filter: { external_id: 'doomed' } })
  await expect.poll(() => records().length).toBe(2)
  expect(await pending()).toBeGreaterThan(0)
  await expectOnly(['kept'])
})

test.concurrent('what one index still does while another one fails is waited for before the next write', async ({
  expect,
}) => {
  await using service = await start()
  const { pinecone } = service
  const { ingest, call, pending, expectOnly } = await tenant(service, 'busy')
  await ingest([lantern('kept')])
  await expect.poll(pending).toBe(0)
  pinecone.faulty = ({ path, index }) => path === '/vectors/upsert' && index?.startsWith('svc-visual') === true
  pinecone.faults = [{ kind: 'slow', ms: 3000 }]
  const busy = ({ path, index }: Asked) => path === '/vectors/upsert' && index?.startsWith('svc-text') === true
  const isVisual = pinecone.faulty
  let refused = 0
  pinecone.faulty = (asked) => {
    if (isVisual(asked)) return true
    if (!busy(asked) || refused > 0) return false
    refused += 1
    pinecone.faults.unshift({ kind: 'status', status: 429, retryAfter: '30' })
    return true
  }
  await ingest([lantern('new'), lantern('doomed', { plane: 'visual', modality: 'image' })])
  await call('POST', '/v1/units:delete', { filter: { external_id: 'doomed' } })
  await expect.poll(pending).toBe(0)
  // Longer than the slow request.
  await sleep(4000)
  await expectOnly(['kept', 'new'])
})
