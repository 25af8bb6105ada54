import { describe } from 'vitest'
import { manyIndexes } from '../support/index/embedded-index.ts'
import { filterFor } from './index-fixtures.ts'
import { nonInterferenceContract } from './non-interference.contract.ts'

const createIndex = manyIndexes()
const asked = filterFor({ filters: { modality: ['text'] } })
const words = { text: 'gamma alpha delta alpha', topK: 10 }
const near = { plane: 'text', model: 'm', vector: Float32Array.of(1, 0.5, -0.25, 0.125) } as const

// Texts and vectors are in the same shards, so both are searched over the same rows.
describe('the embedded index of texts and vectors', () => {
  const create = async () => {
    const { texts, vectors } = await createIndex()
    return { ...texts, texts, vectors }
  }
  nonInterferenceContract(create, async ({ texts, vectors }) => [
    ...(await texts.search(words, asked, 100)),
    ...(await vectors.search(near, asked, 100)),
  ])
})
