import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { propertyRuns } from '../support/amounts.ts'
import { within } from '../support/index/index-within.ts'
import { fedThroughCatalog } from '../support/index/shared-index.ts'
import { hasContract } from '../support/pinecone/contract.ts'
import { type LocalPinecone, startLocalPinecone } from '../support/pinecone/local-pinecone.ts'
import { openPinecone } from '../support/pinecone/open.ts'
import { eventually } from '../support/waited.ts'
import { vectorIndexContract } from './vector-index.contract.ts'

let server: LocalPinecone
let shared: Awaited<ReturnType<typeof open>>
let made = 0

async function open(local: LocalPinecone) {
  const index = openPinecone(local)
  await eventually(() => index.sink.identity())
  return fedThroughCatalog(index)
}

beforeAll(async () => {
  server = await startLocalPinecone()
  shared = await open(server)
})
afterAll(() => server[Symbol.asyncDispose]())

vectorIndexContract('pinecone', async () => within(shared, `${++made}-`), {
  remembersRemovals: false,
  runs: propertyRuns(15),
})

describe.skipIf(!hasContract)('Pinecone’s documents of its API (../shared/contracts)', () => {
  it('hold of every request, and of every answer of the tests’ server', () => {
    expect(server.asked.length).toBeGreaterThan(1000)
    expect(server.breaches).toEqual([])
  })
})
