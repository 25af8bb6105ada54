import type { VectorIndexConfig } from '../../../src/settings/indexes.ts'
import type { LocalPinecone } from './local-pinecone.ts'

/** The settings that make a service keep its vectors in this Pinecone. */
export const pineconeOn = ({ url, apiKey }: LocalPinecone) =>
  ({
    kind: 'pinecone',
    apiKey,
    host: url,
    prefix: 'svc',
    cloud: 'aws',
    region: 'us-east-1',
  }) satisfies VectorIndexConfig
