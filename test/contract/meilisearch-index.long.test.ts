import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TextIndex } from '../../src/ports/indexes/text-index.ts'
import { propertyRuns } from '../support/amounts.ts'
import { within } from '../support/index/index-within.ts'
import { fedThroughCatalog } from '../support/index/shared-index.ts'
import { hasContract } from '../support/meilisearch/contract.ts'
import { type LocalMeilisearch, startMeilisearch } from '../support/meilisearch/server.ts'
import { configOf, liveMeilisearch, openIndex, removeIndex } from '../support/meilisearch/to-test.ts'
import { textIndexContract } from './text-index.contract.ts'

/** Each change takes several round trips. */
const traits = { remembersRemovals: false, runs: propertyRuns(8) }

/** Hundreds of empty indexes: each is a separate set of namespaces in one index. */
function manyIndexes(open: () => Promise<TextIndex>): () => Promise<TextIndex> {
  let opened: Promise<TextIndex> | undefined
  let made = 0
  return async () => {
    opened ??= open()
    return within(await opened, `${++made}/`)
  }
}

describe('over a server of this machine', () => {
  let local: LocalMeilisearch
  beforeAll(async () => {
    local = await startMeilisearch()
  })
  afterAll(() => local[Symbol.asyncDispose]())

  textIndexContract(
    'Meilisearch, local',
    manyIndexes(() => fedThroughCatalog(openIndex(configOf(local)))),
    traits,
  )

  it.skipIf(!hasContract)('asks for nothing that the API document does not have', () => {
    expect(local.calls.length).toBeGreaterThan(100)
    expect(local.violations).toEqual([])
  })
})

const live = liveMeilisearch()
describe.skipIf(live === null)('over the live server of TEST_MEILI_URL', () => {
  if (live === null) return
  afterAll(() => removeIndex(live))
  textIndexContract(
    'Meilisearch, live',
    manyIndexes(() => fedThroughCatalog(openIndex(live))),
    traits,
  )
})
