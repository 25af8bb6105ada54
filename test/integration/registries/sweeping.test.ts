import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { openBrowser } from '../../support/access/browser.ts'
import { signInWith } from '../../support/access/sign-in.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { sourcesOf } from '../../support/sources/uploads.ts'

const minute = 60_000
const hour = 60 * minute

let app: TestApp
let sources: ReturnType<typeof sourcesOf>
let now = Date.now()

beforeAll(async () => {
  app = await boot({
    config: { signIn: signInWith(), sweeping: { everyMs: 10 * minute, unusedSourceMs: 1.5 * hour } },
    bindings: { clock: { now: () => now } },
  })
  sources = sourcesOf(app)
})
afterAll(() => app.close())

const database = () => (app.runtime.bindings.catalog as PrismaCatalog).client

/** A sweep after this time. It runs twice: what the first one marks, the second one removes. */
async function sweepAfter(ms: number): Promise<void> {
  now += ms
  for (const work of [app.runtime.domain.background, app.runtime.domain.purging]) {
    work.kick()
    await work.idle()
  }
}

async function stored(uri: string): Promise<boolean> {
  const files = await readdir(join(app.storage.dataDir, 'objects'), { recursive: true }).catch(() => [])
  return files.some((name) => name.includes(uri.slice('source://'.length)))
}

describe('a sweep', () => {
  it('removes ended sessions and links of mails, and leaves the others', async () => {
    const browser = openBrowser(app)
    await browser.signUp('ada@example.com')
    const { authSession, authVerification, authUser } = database()
    const { id: userId } = await authUser.findFirstOrThrow()
    const times = (expiresAt: number) => ({
      ...{ expiresAt: new Date(expiresAt), createdAt: new Date(now), updatedAt: new Date(now) },
    })
    await authSession.create({ data: { id: 'old', token: 'old', userId, ...times(now + minute) } })
    for (const [id, end] of [
      ['old', now + minute],
      ['new', now + hour],
    ] as const) {
      await authVerification.create({ data: { id, identifier: id, value: userId, ...times(end) } })
    }
    await sweepAfter(11 * minute)
    expect(await authSession.count({ where: { id: 'old' } })).toBe(0)
    expect((await authVerification.findMany()).map(({ id }) => id)).toEqual(['new'])
    expect((await browser.call('GET', '/v1/context')).status).toBe(200)
  })

  it('waits for its time, also after the clock went back', async () => {
    const { authVerification } = database()
    const times = { expiresAt: new Date(0), createdAt: new Date(0), updatedAt: new Date(0) }
    const left = () => authVerification.count({ where: { id: 'ended' } })
    await authVerification.create({ data: { id: 'ended', identifier: 'ended', value: '', ...times } })
    await sweepAfter(minute)
    expect(await left()).toBe(1)
    await sweepAfter(-24 * hour)
    expect(await left()).toBe(0)
    now += 24 * hour
  })

  it('removes every upload that no Unit names for the time that is set', async () => {
    const token = await app.principal({ id: 'librarian', namespace: 'library' })
    const mutation = 'mutation ($data: Bytes!) { createSource(input: { data: $data }) { sourceUri } }'
    const create = async (text: string): Promise<string> =>
      (await app.graphql(mutation, { data: Buffer.from(text).toString('base64') }, { token })).body.data.createSource
        .sourceUri
    const [lost, kept] = [await create('nothing names this'), await create('a Unit names this')]
    const link = await sources.upload('nothing names this either', { token })
    await sources.unit({ text: 'a', source_uri: kept }, { token })
    await sweepAfter(hour)
    expect([await stored(lost), await stored(kept), await stored(link)]).toEqual([true, true, true])
    await sweepAfter(hour)
    expect([await stored(lost), await stored(kept), await stored(link)]).toEqual([false, true, false])
  })

  it.each(['scope', 'namespace'])('removes the bytes of a deleted %s', async (what) => {
    const namespace = `crew-${what}`
    const token = await app.principal({ id: `boss-${what}`, namespace })
    const uri = await sources.upload(`the bytes of a ${what}`, { token })
    const bystander = await sources.upload(`what else is there: ${what}`, { token })
    const unit = { text: 'zqtext', metadata: { note: 'zqmeta' }, source_uri: uri }
    const send = (scope: string, body: object) => app.call('POST', '/v1/ingest', { token, scope, body })
    expect((await send('dock', { units: [unit, { text: 'soft', external_id: 'soft' }] })).status).toBe(200)
    expect((await send('pier', { units: [{ text: 'stays', source_uri: bystander }] })).status).toBe(200)
    const soft = { token, scope: 'dock', body: { filter: { external_id: 'soft' } } }
    expect((await app.call('POST', '/v1/units:delete', soft)).body).toMatchObject({ tombstoned: 1 })
    await sweepAfter(11 * minute)
    const path = what === 'scope' ? '/v1/scopes/dock' : `/v1/namespaces/${namespace}`
    expect((await app.call('DELETE', path, { token })).status).toBe(200)
    await sweepAfter(11 * minute)
    await sweepAfter(11 * minute)
    const { id } = await database().namespace.findFirstOrThrow({ where: { name: namespace } })
    const held = await database().unit.findMany({ where: { namespaceId: id, state: { not: 'purged' } } })
    expect(held.map(({ text }) => text)).toEqual(what === 'scope' ? ['stays'] : [])
    const purged = await database().unit.findMany({ where: { namespaceId: id, state: 'purged' } })
    expect(purged.every(({ text, metadata }) => text === null && JSON.stringify(metadata) === '{}')).toBe(true)
    expect([await stored(uri), await stored(bystander)]).toEqual([false, what === 'scope'])
  })
})
