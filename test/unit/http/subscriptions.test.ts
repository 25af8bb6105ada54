import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildSchema, type GraphQLObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ServiceError, unauthorized } from '../../../src/errors.ts'
import type { SubscriptionLimits } from '../../../src/graphql/server/subscriptions.ts'
import { createGraphqlFetch } from '../../../src/graphql/server/yoga.ts'
import { toFetch } from '../../../src/http/fetch.ts'
import { createGraphqlHandler } from '../../../src/http/graphql.ts'
import type { Handler } from '../../../src/http/message.ts'
import { startServer } from '../../../src/http/server.ts'
import { recordingLog } from './fixture.ts'

const schema = buildSchema('type Query { a: Int } type Subscription { ticks(ms: Int, size: Int): String }')

/** How a caller is answered: tokens in it are refused, with an outage if so said. */
type Refused = Map<string, 'revoked' | 'outage'>

function open(limits: Partial<SubscriptionLimits>) {
  const refused: Refused = new Map()
  const running = { count: 0 }
  const fields = (schema.getSubscriptionType() as GraphQLObjectType).getFields()
  Object.assign(fields.ticks ?? {}, {
    resolve: (value: unknown) => value,
    subscribe: async function* (_: unknown, { ms = 10, size = 1 }: { ms?: number; size?: number }) {
      running.count += 1
      try {
        for (;;) {
          await sleep(ms)
          yield 'x'.repeat(size)
        }
      } finally {
        running.count -= 1
      }
    },
  })
  const log = recordingLog()
  const fetch = createGraphqlFetch<{ name: string | null }>({
    schema,
    log,
    writeOf: async (_context, _sent, act) => ({ value: await act(), text: null }),
    maxCost: 100,
    documents: { accepted: 'any', manifest: new Map() },
    principalOf: ({ name }) => name,
    subscriptions: { perPrincipal: 2, inProcess: 3, credentialMs: 60_000, commentMs: 60_000, ...limits },
    async context({ headers }) {
      const name = headers.authorization?.replace('Bearer ', '') ?? null
      const state = refused.get(name ?? '')
      if (state === 'revoked') throw unauthorized()
      if (state === 'outage') throw new ServiceError('storage_unavailable', 'the disk is away; try again later')
      return { name }
    },
  })
  return { refused, running, log, handler: createGraphqlHandler({ fetch, brand: 'svc', log }) }
}

type Opened = ReturnType<typeof open>

const request = (as: string, query = 'subscription { ticks }') => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${as}` },
  body: JSON.stringify({ query }),
})

const subscribe = ({ handler }: Opened, as: string, query?: string) =>
  toFetch(handler)(new Request('http://svc.test/graphql', request(as, query)))

const ended = ({ running }: Opened) => expect.poll(() => running.count).toBe(0)

describe('subscriptions', () => {
  it('send events and the cost, and end where the reader leaves', async () => {
    const app = open({})
    const response = await subscribe(app, 'ada')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toContain('no-store')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe(':\n\n')
    const event = 'event: next\ndata: {"data":{"ticks":"x"},"extensions":{"cost":{"requested":1,"limit":100}}}\n\n'
    expect((await reader?.read())?.value).toBe(event)
    expect(app.running.count).toBe(1)
    await reader?.cancel()
    await ended(app)
  })

  it('end at once where the reader leaves while nothing happens, by a socket too', async () => {
    const app = open({ perPrincipal: 1 })
    const quiet = 'subscription { ticks(ms: 600000) }'
    const first = await subscribe(app, 'ada', quiet)
    const reader = first.body?.getReader()
    await reader?.read()
    const next = reader?.read()
    await reader?.cancel()
    expect((await next)?.done).toBe(true)

    const server = await startServer(app.handler, { host: '127.0.0.1', port: 0, log: app.log })
    const url = `http://127.0.0.1:${server.port}/graphql`
    for (let i = 0; i < 2; i++) {
      const leaving = new AbortController()
      const again = () => fetch(url, { ...request('ada', quiet), signal: leaving.signal })
      await expect.poll(async () => (await again()).status).toBe(200)
      leaving.abort()
    }
    await server.close()
  })

  it('are limited for a principal and for the process, and count until they end', async () => {
    const app = open({})
    const streams = [await subscribe(app, 'ada'), await subscribe(app, 'ada')]
    const refusal = await subscribe(app, 'ada')
    expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([429, '5'])
    expect(await refusal.text()).toMatch(
      /"the subscription must wait: a principal may have at most 2 open.*"code":"rate_limited","status":429/,
    )
    streams.push(await subscribe(app, 'bob'))
    const full = await subscribe(app, 'cleo')
    expect(full.status).toBe(429)
    expect(await full.text()).toContain('the service may have at most 3 open')
    await streams[0]?.body?.cancel()
    expect((await subscribe(app, 'cleo')).status).toBe(200)
    // A refused document takes no place.
    for (let i = 0; i < 5; i++) expect((await subscribe(app, 'dora', 'subscription { none }')).status).toBe(400)
    await streams[1]?.body?.cancel()
    expect((await subscribe(app, 'dora')).status).toBe(200)
  })

  it('end with their credential, not with an outage', async () => {
    const app = open({ credentialMs: 30 })
    const response = await subscribe(app, 'ada', 'subscription { ticks(ms: 600000) }')
    app.refused.set('ada', 'outage')
    const text = response.text()
    expect(await Promise.race([text, sleep(150)])).toBeUndefined()
    app.refused.set('ada', 'revoked')
    const events = (await text).split('\n\n').filter((event) => event.startsWith('event'))
    expect(events).toHaveLength(2)
    const { errors } = JSON.parse(events[0]?.replace('event: next\ndata: ', '') ?? '')
    expect(errors).toEqual([{ message: unauthorized().detail, extensions: { code: 'unauthorized', status: 401 } }])
    expect(events[1]).toBe('event: complete\ndata:')
    app.refused.clear()
    expect((await Promise.all([subscribe(app, 'ada'), subscribe(app, 'ada')])).map(({ status }) => status)).toEqual([
      200, 200,
    ])
  })

  it('send comments while nothing happens', async () => {
    const response = await subscribe(open({ commentMs: 200 }), 'ada', 'subscription { ticks(ms: 600000) }')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let i = 0; i < 4; i++) expect((await reader?.read())?.value).toBe(':\n\n')
    await reader?.cancel()
  })

  it('do not count any more where the client left before the answer began', async () => {
    const app = open({ perPrincipal: 1 })
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Handler = async (sent) => {
      const answer = await app.handler(sent)
      begun.resolve()
      await gate.promise
      return answer
    }
    const server = await startServer(slow, { host: '127.0.0.1', port: 0, log: app.log })
    const left = new AbortController()
    const asked = fetch(`${server.url}/graphql`, { ...request('ada'), signal: left.signal }).catch(() => null)
    await begun.promise
    expect((await subscribe(app, 'ada')).status).toBe(429)
    left.abort()
    await asked
    // The server learns of it in a later turn.
    await sleep(100)
    gate.resolve()
    await expect.poll(async () => (await subscribe(app, 'ada')).status).toBe(200)
    await server.close()
    expect(app.log.lines).toEqual([])
  })

  it('are cut off where the client stops reading', async () => {
    const app = open({ commentMs: 100 })
    const server = await startServer(app.handler, { host: '127.0.0.1', port: 0, log: app.log })
    const socket = connect(server.port, '127.0.0.1').pause()
    const { body, ...head } = request('ada', 'subscription { ticks(ms: 1, size: 1000000) }')
    const lines = Object.entries({ host: 'x', 'content-length': body.length, ...head.headers })
    socket.write(
      `POST /graphql HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    )
    await expect.poll(() => app.running.count).toBe(1)
    await ended(app)
    socket.destroy()
    await server.close()
  })
})
