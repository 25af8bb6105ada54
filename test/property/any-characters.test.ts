import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { shortOrLong } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { type OpenProfile, openProfile, type Profile, profiles } from '../support/profiles.ts'
import { createTexts } from '../support/texts/any-characters.ts'
import { type Draw, forAllRuns, timeoutFor } from './draw.ts'

const batchesOf: Record<Profile, number> = { embedded: shortOrLong(4, 8), 'scale-out': 3 }
const unitsPerBatch = 30
const texts = createTexts()

/** Units that each batch joins: each is found by a word of its own. */
const others = {
  bollard: 'The bollard stands at the quay, and the ropes are green.',
  Poller: 'Der Poller steht am Kai, und die Leinen sind nicht grün.',
  المرساة: 'كانت المرساة على الرصيف في الصباح',
  係船柱: '係船柱は岸壁に立っています。',
}

const ingest = /* GraphQL */ `mutation ($units: [UnitInput!]!) {
  ingest(input: { units: $units }) { indexed units { unitId externalId } }
}`

interface Sent {
  externalId: string
  text: string
  language: string | null
}

const wireOf = ({ externalId, text }: Sent) => ({ external_id: externalId, text })

const drawUnit = (draw: Draw, externalId: string): Sent => ({
  externalId,
  text: texts.text(draw),
  language: texts.language(draw),
})

describe.each(profiles)('texts of any characters, in any language (%s)', (name) => {
  let profile: OpenProfile
  let app: TestApp
  let token: string
  beforeAll(async () => {
    profile = await openProfile(name)
    app = await boot({ config: profile.config })
    token = await app.principal({ id: 'reader', namespace: 'library' })
    const units = Object.entries(others).map(([externalId, text]) => ({ externalId, text, language: null }))
    await send(units)
  })
  afterAll(async () => {
    await app.close()
    await profile.close()
  })

  async function send(units: readonly Sent[]): Promise<void> {
    const { status, body } = await app.graphql(ingest, { units }, { token, scope: 'shelf' })
    expect([status, body.errors]).toEqual([200, undefined])
    expect(body.data.ingest.indexed).toBe(true)
  }

  async function search(q: string, filters = {}) {
    const request = { q, top_k: 5, filters }
    const { status, body } = await app.call('POST', '/v1/search', { token, body: request })
    expect([status, body.trace?.degraded], q).toEqual([200, []])
    for (const { text, highlights } of body.hits) {
      let last = 0
      for (const { start, end } of highlights) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(text.length)
    }
    return body.hits as { external_id: string; explain: { leg: string }[] }[]
  }

  /** By words of its own where it has any. The query leaves out what stands between words: some of it has a meaning there. */
  async function expectFound({ externalId, text }: Sent): Promise<void> {
    const words = textAnalysis.words(text).filter(({ stop }) => !stop)
    const spelled = [...new Set(words.map(({ start, end }) => text.slice(start, end)))].slice(0, 12)
    if (spelled.length === 0) return
    const hits = await search(spelled.join(' '), { external_id: [externalId] })
    const found = hits.map(({ external_id, explain }) => [external_id, explain.some(({ leg }) => leg === 'text')])
    expect(found, JSON.stringify({ text, spelled })).toEqual([[externalId, true]])
  }

  async function listed(first: number): Promise<string[]> {
    const { body } = await app.call('GET', `/v1/units?cursor=${first}`, { token })
    return body.units.map((unit: { external_id: string }) => unit.external_id)
  }

  const batches = batchesOf[name]
  it('are indexed and found, and hide no other', { timeout: timeoutFor(batches) }, () =>
    forAllRuns(batches, async (draw, run) => {
      const units = Array.from({ length: unitsPerBatch }, (_, i) => drawUnit(draw, `${run}-${i}`))
      await send(units)
      for (const unit of units) await expectFound(unit)
      const before = Object.keys(others).length + (run - 1) * unitsPerBatch
      expect(await listed(before)).toEqual(units.map(({ externalId }) => externalId))
      for (const word of Object.keys(others)) {
        const [first] = await search(word)
        expect([first?.external_id, first?.explain.some(({ leg }) => leg === 'text')]).toEqual([word, true])
      }
      const at = draw.upTo(unitsPerBatch - 1)
      const bad = units.map((unit, i) =>
        i === at ? { ...unit, text: `${unit.text}${draw.pick(['\0', '\ud800', '\udfff'])}` } : unit,
      )
      const refused = await app.call('POST', '/v1/ingest', { token, scope: 'shelf', body: { units: bad.map(wireOf) } })
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        `units[${at}].text: must not contain NUL or an unpaired surrogate`,
      ])
      await expect.poll(async () => (await app.call('GET', '/v1/health')).body.status).toBe('ok')
    }),
  )
})
