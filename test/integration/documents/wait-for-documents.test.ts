import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../src/cli/ingest/service/client.ts'
import { ingestDocument, settled } from '../../../src/cli/ingest/service/documents.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { upload } from '../../support/documents/files.ts'
import { holdRuns } from '../../support/documents/hold-runs.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'
import { listen as listenOn, shut } from '../../support/process/local-http.ts'

let app: TestApp
let server: LoggedServer
let token: string

beforeAll(async () => {
  app = await boot()
  server = await listen(app)
  token = await app.principal({ id: 'waiter', namespace: 'harbour' })
})
afterAll(async () => {
  await server.close()
  await app.close()
})

/** In front of the service: it notes what is requested, and gives subscriptions to nobody unless `streams`. */
async function startGate(streams: boolean) {
  const asked: string[] = []
  const gate = createServer(async (request, response) => {
    const body = await text(request)
    const kind = /"query":"\W*(\w+)/.exec(body)?.[1] ?? ''
    asked.push(kind)
    if (kind === 'subscription' && !streams) return void response.writeHead(406).end('no streams here')
    const { authorization = '', accept = '*/*' } = request.headers
    const headers = { authorization, accept, 'content-type': 'application/json' }
    const answer = await fetch(new URL(request.url ?? '', server.url), { method: 'POST', headers, body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  })
  return { url: await listenOn(gate), asked, close: () => shut(gate) }
}

/** A document, as it is when its run has ended. */
async function begin(url: string, name: string) {
  const client = createClient({ url, token }, Date.now)
  const sourceUri = await upload(app, token, `The tide of ${name}.`)
  const rest = { name, scope: 'quay', docId: name, aclGroups: [], metadata: {}, sidecar: undefined, force: false }
  const begun = await ingestDocument(client, { sourceUri, ...rest })
  return { ended: settled(client, begun) }
}

test('a long run is waited for, with subscriptions and without', async () => {
  const release = holdRuns(app)
  const [streaming, asking] = [await startGate(true), await startGate(false)]
  const documents = [await begin(streaming.url, 'streamed.txt'), await begin(asking.url, 'asked.txt')]
  const sent = ({ asked }: typeof streaming, kind: string) => asked.filter((one) => one === kind).length
  for (const gate of [streaming, asking]) await expect.poll(() => sent(gate, 'subscription')).toBeGreaterThan(0)
  const [queries, asked] = [sent(streaming, 'query'), sent(asking, 'query')]
  // Without a stream the document is requested again and again; while one is open no query is sent.
  await expect.poll(() => sent(asking, 'query')).toBeGreaterThan(asked + 1)
  expect({ watches: sent(streaming, 'subscription'), queries: sent(streaming, 'query') }).toEqual({
    watches: 1,
    queries,
  })
  release()
  for (const { ended } of documents) expect(await ended).toMatchObject({ status: 'ready', units: 1 })
  for (const gate of [streaming, asking]) await gate.close()
})
