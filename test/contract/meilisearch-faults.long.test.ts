import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callMs, defaultPauseMs as pauseMs } from '../../src/adapters/index-meilisearch/connection.ts'
import { writeAttempt } from '../support/database/write-attempt.ts'
import { type LocalMeilisearch, type MeiliFault, startMeilisearch } from '../support/meilisearch/server.ts'
import { configOf, openIndex } from '../support/meilisearch/to-test.ts'
import { eventually, waited } from '../support/waited.ts'
import { filterFor, indexedUnit, namespaceId } from './index-fixtures.ts'

const secret = 'a text that no one else may read'

let local: LocalMeilisearch
let index: ReturnType<typeof openIndex>
/** Extra time that the index's clock shows, in ms. */
let ahead: number
beforeEach(async () => {
  local = await startMeilisearch()
  ahead = 0
  index = openIndex(configOf(local), () => performance.now() + ahead)
  await identityOf(index)
})
afterEach(() => local[Symbol.asyncDispose]())

/** A caller waits two seconds for the index to be made, which a busy machine may need longer for. */
const identityOf = ({ sink }: ReturnType<typeof openIndex>) => eventually(() => sink.identity())
const write = (signal = AbortSignal.timeout(90_000)) =>
  index.sink.write(namespaceId, { puts: [indexedUnit('u1', 1, { text: secret })], removals: [] }, writeAttempt(signal))
const search = () => index.search({ text: secret, topK: 5 }, filterFor(), 5)
/** After a pause only one call tries the engine, and it may not be a search. */
const searchOrNothing = () => search().catch(() => [])
const calls = (call: string) => local.calls.filter((made) => made === call).length

/** The error of an operation; it does not contain the request. */
async function failure(work: () => Promise<unknown>): Promise<{ code: unknown; message: string; ms: number }> {
  const { result: error, ms } = await waited(() =>
    work().then(
      () => null,
      (thrown) => thrown,
    ),
  )
  expect(error).not.toBeNull()
  const told = `${error.message} ${error.stack} ${JSON.stringify(error)}`
  expect(told).not.toMatch(new RegExp(`${secret}|${local.adminKey}|${new URL(local.url).port}`))
  expect(error).not.toHaveProperty('cause')
  return { code: error.code, message: error.message, ms }
}

describe('an engine that fails', () => {
  const faults: [MeiliFault, string][] = [
    ['reset', 'unreachable'],
    ['redirect', 'unreachable'],
    ['garbage', 'malformed'],
    ['truncated', 'malformed'],
    ['senseless', 'malformed'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'absent'],
    [429, 'busy'],
    [500, 'broken'],
    [503, 'broken'],
  ]

  it.each(faults)('by %s makes errors of searches, writes and looks, never an empty result', async (fault, code) => {
    await write()
    expect(await search()).toHaveLength(1)
    local.fault = fault
    const operations = [
      search,
      write,
      () => index.search({ text: '', topK: 5 }, filterFor(), 5),
      () => index.sink.manifest(namespaceId, 'text'),
      () => index.sink.held(namespaceId, [{ unitId: 'u1', plane: 'text' }]),
      () => index.sink.drop(namespaceId, writeAttempt()),
      () => index.ping(),
    ]
    for (const operation of operations) {
      // The circuit breaker may have opened.
      expect([code, 'paused']).toContain((await failure(operation)).code)
    }
    expect((await failure(() => openIndex(configOf(local)).ping())).code).toBe(code)
    local.fault = null
    ahead += pauseMs
    await expect.poll(searchOrNothing).toHaveLength(1)
  })

  it.each(['hang', 'hang-in-body'] as const)(
    'by a %s is waited for once, then asked again after a while',
    async (fault) => {
      await write()
      local.fault = fault
      const first = await failure(search)
      expect(first.code).toBe('timeout')
      expect(first.ms).toBeLessThan(callMs.search + 500)
      const asked = local.calls.length
      for (let i = 0; i < 5; i++) expect(await failure(search)).toMatchObject({ code: 'paused' })
      expect(local.calls.length - asked).toBe(0)
      local.fault = null
      expect((await failure(search)).code).toBe('paused')
      ahead += pauseMs
      await expect.poll(searchOrNothing).toHaveLength(1)
    },
  )

  it('by hanging from the start costs a request no more than that', async () => {
    local.fault = 'hang'
    const fresh = openIndex(configOf(local))
    const request = async () => {
      await fresh.sink.identity().catch(() => {})
      await fresh.search({ text: secret, topK: 5 }, filterFor(), 5)
    }
    expect((await failure(request)).ms).toBeLessThan(callMs.search)
  })

  it('once gets another request at once', async () => {
    await write()
    let failures = 1
    local.fault = 'reset'
    local.faulty = (call) => call === 'POST /multi-search' && failures-- > 0
    expect(await search()).toHaveLength(1)
  })

  it('slowly is waited for', async () => {
    await write()
    local.fault = 'slow'
    let slow = 1
    local.faulty = () => slow-- > 0
    expect(await search()).toHaveLength(1)
  })
})

describe('tasks', () => {
  it('are awaited, with fewer and fewer questions', async () => {
    local.calls.length = 0
    local.tasks.delayMs = 700
    await write()
    expect(local.calls.filter((call) => call.startsWith('GET /tasks/')).length).toBeLessThan(15)
    expect(await search()).toHaveLength(1)
  })

  it.each([
    ['failed', 'failed', 'Meilisearch failed a task: internal'],
    ['canceled', 'failed', 'Meilisearch canceled a task'],
    ['lost', 'absent', 'Meilisearch answered 404: task_not_found'],
  ] as const)('that are %s are an error, and can be tried again', async (fate, code, message) => {
    local.tasks.fates = [fate]
    expect(await failure(write)).toMatchObject({ code, message })
    await write()
    expect(await search()).toHaveLength(1)
  })

  it('are left when the signal says so, and not sent again before they are done', async () => {
    const gate = Promise.withResolvers<void>()
    local.tasks.gate = gate.promise
    for (let i = 0; i < 3; i++) {
      const over = new AbortController()
      const asked = local.calls.length
      const left = failure(() => write(over.signal))
      await expect.poll(() => local.calls.slice(asked).some((call) => call.startsWith('GET /tasks/'))).toBe(true)
      over.abort()
      expect((await left).code).toBe('timeout')
    }
    expect(calls('POST /indexes/units/documents')).toBe(1)
    // Searches were fast.
    expect(await search()).toEqual([])
    gate.resolve()
    await write()
    expect(calls('POST /indexes/units/documents')).toBe(2)
    expect(await search()).toHaveLength(1)
  })

  it('are not made once the signal is given', async () => {
    expect((await failure(() => write(AbortSignal.abort()))).code).toBe('timeout')
    expect(calls('POST /indexes/units/documents')).toBe(0)
  })
})

describe('the index', () => {
  it('is made once by several processes that start together, and left alone by those that come later', async () => {
    await using unmade = await startMeilisearch()
    const started = Array.from({ length: 5 }, () => openIndex(configOf(unmade)))
    const identities = await Promise.all(started.map(identityOf))
    expect(new Set(identities).size).toBe(1)
    expect(unmade.keys.size).toBe(1)
    const [key] = unmade.keys.values()
    expect(key).toMatchObject({ actions: ['search'], indexes: ['units'] })
    unmade.calls.length = 0
    expect(await openIndex(configOf(unmade)).sink.identity()).toBe(identities[0])
    expect(unmade.calls.filter((call) => !call.startsWith('GET'))).toEqual([])
  })

  it('gets back settings that someone changed', async () => {
    await write()
    local.indexes.get('units')?.configure({ filterableAttributes: [], typoTolerance: { enabled: true } })
    expect((await failure(search)).code).toBe('refused')
    expect(await search()).toHaveLength(1)
    expect(local.indexes.get('units')?.settings.typoTolerance).toMatchObject({ enabled: false })
  })

  it('is another one when it was made again, and what was written meanwhile does not count', async () => {
    const before = await index.sink.identity()
    await sleep(5)
    local.indexes.delete('units')
    expect((await failure(write)).code).toBe('refused')
    const after = await identityOf(index)
    expect(after).not.toBe(before)
    await write()
    expect(await search()).toHaveLength(1)
  })

  it('is noticed to be another one within some seconds', async () => {
    const before = await index.sink.identity()
    local.indexes.delete('units')
    ahead += 2000
    const look = () => index.sink.identity().catch(() => before)
    await expect.poll(look).not.toBe(before)
  })

  it('is searched with a key that is made again when someone deleted it', async () => {
    await write()
    local.keys.clear()
    expect((await failure(search)).code).toBe('refused')
    expect(await search()).toHaveLength(1)
  })
})
