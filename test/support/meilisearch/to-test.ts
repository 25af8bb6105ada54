import { randomBytes } from 'node:crypto'
import { Meilisearch } from 'meilisearch'
import { highlights } from '../../../src/adapters/index-embedded/analysis/find-passage.ts'
import { textAnalysis } from '../../../src/adapters/index-embedded/analysis/text-analysis.ts'
import type { MeilisearchConfig } from '../../../src/adapters/index-meilisearch/connection.ts'
import { createMeilisearchIndex, type Tools } from '../../../src/adapters/index-meilisearch/meilisearch-index.ts'
import { keyUid } from '../../../src/adapters/index-meilisearch/setup.ts'
import type { TextIndexConfig } from '../../../src/settings/indexes.ts'
import { type LocalMeilisearch, startMeilisearch } from './server.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** The service's index in a Meilisearch server. */
export const openIndex = (config: MeilisearchConfig, now = () => performance.now(), tools: Partial<Tools> = {}) =>
  createMeilisearchIndex(config, { analysis: textAnalysis, highlights, now, log: silent, ...tools })

/** The settings that select a local server. */
export const configOf = ({ url, adminKey }: LocalMeilisearch): MeilisearchConfig => ({
  url,
  key: adminKey,
  index: 'units',
})

/** The settings that make `boot` use a local server for text search. */
export const meilisearchOn = (local: LocalMeilisearch): TextIndexConfig => ({ kind: 'meilisearch', ...configOf(local) })

/** A live Meilisearch, if the environment names one, with an index that only this test uses. */
export function liveMeilisearch(): MeilisearchConfig | null {
  const { TEST_MEILI_URL: url, TEST_MEILI_KEY: key } = process.env
  if (!url || !key) return null
  return { url, key, index: `test_${randomBytes(8).toString('hex')}` }
}

/** Removes what a test created in a live Meilisearch. */
export async function removeIndex({ url, key, index }: MeilisearchConfig): Promise<void> {
  const client = new Meilisearch({ host: url, apiKey: key })
  await client.deleteIndex(index).waitTask()
  await client.deleteKey(keyUid(index))
}

/** The live server if there is one, else a local one. */
export async function meilisearchToTest(): Promise<{ config: MeilisearchConfig } & AsyncDisposable> {
  const live = liveMeilisearch()
  if (live !== null) return { config: live, [Symbol.asyncDispose]: () => removeIndex(live) }
  const local = await startMeilisearch()
  return { config: configOf(local), [Symbol.asyncDispose]: () => local[Symbol.asyncDispose]() }
}
