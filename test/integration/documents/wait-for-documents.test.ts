import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../src/cli/ingest/service/client.ts'
import { ingestDocument, settled } from '../../../src/cli/ingest/service/documents.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { upload } from '../../support/documents/files.ts'
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

/** A document whose run waits until it is released. */
async function begin(url: string, name: string) {
  const { objects } = app.runtime.bindings
  const { open } = objects
  const held = Promise.withResolvers<void>()
  objects.open = async (...args) => {
    objects.open = open
    await held.promise
    return open(...args)
  }
  const client = createClient({ url, token }, Date.now)
  const sourceUri = await upload(app, token, `The tide of ${name}.`)
  const rest = { name, scope: 'quay', docId: name, aclGroups: [], metadata: {}, sidecar: undefined, force: false }
  const begun = await ingestDocument(client, { sourceUri, ...rest })
  return { ended: settled(client, begun), release: held.resolve }
}

test.each([true, false])('a long run is waited for (with subscriptions: %s)', { timeout: 60_000 }, async (streams) => {
  const gate = await startGate(streams)
  const { ended, release } = await begin(gate.url, `streams-${streams}.txt`)
  const watches = () => gate.asked.filter((kind) => kind === 'subscription').length
  const questions = () => gate.asked.filter((kind) => kind === 'query').length
  await expect.poll(watches, { timeout: 30_000 }).toBeGreaterThan(0)
  const before = questions()
  // No query is sent while the stream is open; without one the document is requested again and again.
  if (streams) {
    await sleep(3_000)
    expect({ watches: watches(), questions: questions() }).toEqual({ watches: 1, questions: before })
  } else await expect.poll(questions, { timeout: 30_000 }).toBeGreaterThan(before)
  release()
  expect(await ended).toMatchObject({ status: 'ready', units: 1 })
  await gate.close()
})
