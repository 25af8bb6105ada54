import { expect } from 'vitest'
import type { BootOptions } from './boot.ts'
import { startMeilisearch } from './meilisearch/server.ts'
import { meilisearchOn } from './meilisearch/to-test.ts'
import { startLocalPinecone } from './pinecone/local-pinecone.ts'
import { pineconeOn } from './pinecone/settings.ts'

/** Everything in this process, or with engines outside of it. */
export type Profile = 'embedded' | 'scale-out'

/** What properties are held against; the local servers take most of the time. */
export const profiles: readonly Profile[] = process.env.LONG_TESTS ? ['embedded', 'scale-out'] : ['embedded']

export interface OpenProfile {
  /** What boots a service of the profile. */
  config: NonNullable<BootOptions['config']>
  close(): Promise<void>
}

/**
 * The engines of the scale-out profile run on this machine, as local servers of their vendors' APIs; reads of Pinecone lag
 * behind writes.
 */
export async function openProfile(profile: Profile): Promise<OpenProfile> {
  if (profile === 'embedded') return { config: {}, close: async () => {} }
  const [pinecone, meilisearch] = [await startLocalPinecone(), await startMeilisearch()]
  pinecone.lagMs = 30
  return {
    config: { vectorIndex: pineconeOn(pinecone), textIndex: meilisearchOn(meilisearch) },
    close: async () => {
      await Promise.all([pinecone[Symbol.asyncDispose](), meilisearch[Symbol.asyncDispose]()])
      expect(pinecone.breaches).toEqual([])
    },
  }
}
