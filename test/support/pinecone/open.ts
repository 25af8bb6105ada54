import { createPineconeIndex, type PineconeIndexOptions } from '../../../src/adapters/index-pinecone/pinecone-index.ts'
import { systemRandom } from '../../../src/system.ts'
import type { LocalPinecone } from './local-pinecone.ts'
import { pineconeOn } from './settings.ts'

/** The production adapter, for vectors with four dimensions. */
export const openPinecone = (server: LocalPinecone, options: Partial<PineconeIndexOptions> = {}) =>
  createPineconeIndex({ ...pineconeOn(server), dims: () => 4, random: systemRandom, ...options })
