import { Pinecone } from '@pinecone-database/pinecone'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { createPineconeIndex } from '../../src/adapters/index-pinecone/pinecone-index.ts'
import { systemRandom } from '../../src/system.ts'
import { within } from '../support/index/index-within.ts'
import { fedThroughCatalog } from '../support/index/shared-index.ts'
import { vectorIndexContract } from './vector-index.contract.ts'

const apiKey = process.env.TEST_PINECONE_API_KEY ?? ''

// Each test waits until reads see its writes, which takes the real service seconds.
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 300_000 })

describe.skipIf(apiKey === '')('Pinecone itself (TEST_PINECONE_API_KEY)', () => {
  const prefix = `test-${systemRandom.base62(8).toLowerCase()}`
  let shared: Awaited<ReturnType<typeof open>>
  let made = 0

  const open = async () => {
    const index = createPineconeIndex({
      apiKey,
      host: null,
      prefix,
      cloud: 'aws',
      region: 'us-east-1',
      dims: () => 4,
      random: systemRandom,
    })
    await vi.waitFor(async () => expect(await index.sink.identity()).toContain(prefix), 120_000)
    return fedThroughCatalog(index)
  }

  beforeAll(async () => {
    shared = await open()
  })
  afterAll(async () => {
    const pinecone = new Pinecone({ apiKey })
    const { indexes = [] } = await pinecone.listIndexes()
    for (const { name } of indexes) if (name.startsWith(`${prefix}-`)) await pinecone.deleteIndex(name)
  })

  vectorIndexContract('pinecone', async () => within(shared, `${++made}-`), { remembersRemovals: false, runs: 2 })
})
