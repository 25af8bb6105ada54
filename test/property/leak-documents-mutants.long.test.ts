import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DocumentReader } from '../../src/ports/catalog.ts'
import { atNight } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { forAllRuns } from './draw.ts'
import { checkRequest } from './leak/checks.ts'
import { addDocuments } from './leak/documents/history.ts'
import type { World } from './leak/model.ts'
import { drawRequest } from './leak/requests.ts'
import { buildWorld } from './leak/world.ts'

type Mutant = (documents: DocumentReader, world: World) => Partial<DocumentReader>

/** Rules of documents that are switched off. */
const mutants: Record<string, Mutant> = {
  'everyone sees what only the writer may': ({ list }) => ({
    list: async (...args) => (await list(...args)).map((seen) => ({ ...seen, own: true })),
  }),
  'hidden Units open a document': ({ list }) => ({
    list: (visibility, ...rest) => {
      const clauses = visibility.clauses.map((clause) => ({ ...clause, reader: 'unlimited' as const }))
      return list({ ...visibility, clauses }, ...rest)
    },
  }),
  'hidden Units are counted': ({ list }) => ({
    list: async (visibility, ...rest) => {
      const clauses = visibility.clauses.map((clause) => ({ ...clause, reader: 'unlimited' as const }))
      const all = new Map(
        (await list({ ...visibility, clauses }, ...rest)).map((seen) => [seen.record.documentId, seen.units]),
      )
      const seen = await list(visibility, ...rest)
      return seen.map((one) => ({ ...one, units: all.get(one.record.documentId) ?? one.units }))
    },
  }),
  "anyone takes in someone else's source": ({ source }, { actors }) => ({
    source: async (namespaceId, uri, createdBy) => {
      for (const id of [createdBy, ...actors.map((actor) => actor.id)]) {
        const found = await source(namespaceId, uri, id)
        if (found) return found
      }
      return null
    },
  }),
}

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

let worlds = 0

/** Sends requests about documents until one detects the mutant. */
async function hunt(mutant: Mutant): Promise<unknown> {
  let caught: unknown = null
  const { documents } = app.runtime.bindings.catalog
  const before = { ...documents }
  await forAllRuns(12, async (draw) => {
    if (caught) return
    const world = await buildWorld(app, draw, 1000 + ++worlds)
    // Some files are sent again: only their writers see that version.
    for (let i = 0; i < 3; i++) await addDocuments(app, draw, world)
    const here = { ...world, actors: world.actors.filter(({ superAdmin }) => !superAdmin) }
    Object.assign(documents, mutant(before, world))
    try {
      for (let i = 0; i < 80; i++) await checkRequest(app, world, drawRequest(draw, here, ['files']))
    } catch (error) {
      caught = error
    } finally {
      Object.assign(documents, before)
    }
  })
  return caught
}

// It tests the property, not the service: at night.
describe.runIf(atNight)('the property finds out a rule of documents that is switched off', () => {
  test.each(Object.entries(mutants))('%s', { timeout: 600_000 }, async (_, mutant) => {
    const caught = await hunt(mutant)
    expect(String(caught)).toContain('AssertionError')
  })
})
