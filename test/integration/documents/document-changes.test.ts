import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventsOf, type SentEvent } from '../../support/access/events.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { type Document, documentOf, ingestFile, settled, taken } from '../../support/documents/files.ts'
import { holdRuns } from '../../support/documents/hold-runs.ts'
import { waited } from '../../support/waited.ts'

const scope = 'quay'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'pilot', namespace: 'harbour' })
})

afterAll(() => app.close())

/** Sends the subscription; the answer's body is a stream of events. */
function subscribe(args: string, as: string | null = token, at = app): Promise<Response> {
  const query = `subscription { documentChanges${args} { documentId status units reason } }`
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  return at.app.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { ...headers, ...(as === null ? {} : { authorization: `Bearer ${as}` }) },
      body: JSON.stringify({ query }),
    }),
  )
}

async function statesOf(response: Response): Promise<Document[]> {
  const states: Document[] = []
  for await (const { data } of eventsOf(response)) if (data?.data) states.push(data.data.documentChanges)
  return states
}

test('with ids it sends each state until all are ready or failed', async () => {
  const { documentId } = await ingestFile(app, token, 'one.txt', 'Pilots board at the buoy.', { scope })
  const response = await subscribe(`(documentIds: ["${documentId}", "unknown"])`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const states = await statesOf(response)
  expect(states.at(-1)).toMatchObject({ documentId, status: 'ready', units: 1 })
})

test('it sends a change that has the time of the one before', async () => {
  const now = Date.now()
  const stopped = await boot({ bindings: { clock: { now: () => now } } })
  const writer = await stopped.principal({ id: 'pilot', namespace: 'harbour' })
  // It is not JSON: nothing but the status changes.
  const { documentId } = await ingestFile(stopped, writer, 'broken.json', '{', { scope })
  const states = await statesOf(await subscribe(`(documentIds: ["${documentId}"])`, writer, stopped))
  expect(states.at(-1)).toMatchObject({ documentId, status: 'failed', reason: 'malformed' })
  await stopped.close()
})

test('each change of a document is later than the one before, also where a clock is behind', async () => {
  let behind = 0
  const slowed = await boot({ bindings: { clock: { now: () => Date.now() - behind } } })
  const writer = await slowed.principal({ id: 'pilot', namespace: 'harbour' })
  const release = holdRuns(slowed)
  const { documentId, updatedAt } = await ingestFile(slowed, writer, 'behind.txt', 'Buoys are counted.', { scope })
  await expect.poll(async () => (await documentOf(slowed, writer, documentId)).status).toBe('running')
  const running = await documentOf(slowed, writer, documentId)
  expect(running.updatedAt).toBeGreaterThan(updatedAt)
  behind = 5_000
  release()
  const ready = await settled(slowed, writer, documentId)
  expect(ready.status).toBe('ready')
  expect(ready.updatedAt).toBeGreaterThan(running.updatedAt)
  const again = await ingestFile(slowed, writer, 'behind.txt', 'Buoys are counted twice.', { scope })
  expect(again.updatedAt).toBeGreaterThan(ready.updatedAt)
  await slowed.close()
})

test('it completes at once where nothing is under way', async () => {
  const { documentId } = await taken(app, token, 'two.txt', 'Tugs wait at berth nine.', { scope })
  const events: string[] = []
  for await (const { event } of eventsOf(await subscribe(`(documentIds: ["${documentId}"])`))) events.push(event)
  expect(events).toEqual(['next', 'complete'])
})

test('without ids it continues, and sends what the caller may see', async () => {
  const guest = await app.principal({ id: 'guest', namespace: 'harbour', readOnly: true })
  const events = eventsOf(await subscribe(`(scope: "${scope}")`, guest))
  const hidden = await taken(app, token, 'hidden.txt', 'For the pilot alone.', { scope })
  const open = await taken(app, token, 'open.txt', 'For everyone.', { scope, aclGroups: ['*'] })
  const next = await events.next()
  expect(next.value.data.data.documentChanges).toMatchObject({ documentId: open.documentId, status: 'ready' })
  expect(JSON.stringify(next.value)).not.toContain(hidden.documentId)
  await events.return(undefined)
})

test('it is refused as any other operation is', async () => {
  expect(await (await subscribe('', null)).text()).toContain('"code":"unauthorized"')
  const mute = await app.principal({ id: 'mute', namespace: 'harbour', grants: [] })
  expect(await (await subscribe('', mute)).text()).toContain('"code":"forbidden"')
})

test('it ends within five seconds of its key, and says so', async () => {
  const made = await app.graphql(
    'mutation { createApiKey(input: { name: "watch" }) { token key { id } } }',
    {},
    { token },
  )
  const { token: key, key: record } = made.body.data.createApiKey
  const events = eventsOf(await subscribe(`(scope: "${scope}")`, key))
  expect((await events.next()).value?.data?.data).toBeDefined()
  await app.graphql(`mutation { revokeApiKey(id: "${record.id}") { revoked } }`, {}, { token })
  const rest: SentEvent[] = []
  const { ms } = await waited(async () => {
    for await (const event of events) rest.push(event)
  })
  expect(ms).toBeLessThan(6_000)
  const [last, complete] = rest.slice(-2)
  expect(last?.data?.errors).toMatchObject([{ extensions: { code: 'unauthorized' } }])
  expect([last?.event, complete?.event]).toEqual(['next', 'complete'])
})

test('a principal has at most ten open', async () => {
  const keen = await app.principal({ id: 'keen', namespace: 'harbour', readOnly: true })
  const open = await Promise.all(Array.from({ length: 10 }, () => subscribe(`(scope: "${scope}")`, keen)))
  expect(open.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const refused = await subscribe('', keen)
  expect(refused.status).toBe(429)
  expect(await refused.text()).toContain('"code":"rate_limited"')
  await Promise.all(open.map(({ body }) => body?.cancel()))
})

test('it looks for nothing any more once its reader has left', async () => {
  // One document: it looks for changes only while no event waits to be read.
  await taken(app, token, 'left.txt', 'The pilot boat leaves.', { scope: 'left' })
  const looks = vi.spyOn(app.runtime.bindings.catalog.documents, 'state')
  const events = eventsOf(await subscribe('(scope: "left")'))
  await events.next()
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(1)
  await events.return(undefined)
  looks.mockClear()
  // It looked once a second. One look may have been under way.
  await sleep(3_500)
  expect(looks.mock.calls.length).toBeLessThan(2)
  looks.mockRestore()
})

// It ends all watches: no test may follow it.
test('a document is sent at most once a second', async () => {
  const { documentId } = await taken(app, token, 'often.txt', 'Version 0.', { scope })
  const events = eventsOf(await subscribe(`(scope: "${scope}")`))
  let received = 0
  const reading = (async () => {
    for await (const { data } of events) if (data?.data?.documentChanges.documentId === documentId) received += 1
  })()
  const started = performance.now()
  // As many changes as it takes until some were sent.
  for (let i = 1; received < 4; i++) {
    await ingestFile(app, token, 'often.txt', 'Version 0.', { scope, metadata: { round: i } })
    await sleep(50)
  }
  app.runtime.domain.endWatches()
  await reading
  expect(received).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - started) / 1000))
})
