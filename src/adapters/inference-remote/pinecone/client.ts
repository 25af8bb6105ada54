import { Pinecone } from '@pinecone-database/pinecone'
import type { PineconeEndpoint } from '../models/remote-config.ts'

/** Pinecone Inference for one call; the guard retries. */
export const pineconeInference = ({ apiKey, host }: PineconeEndpoint, fetch: typeof globalThis.fetch) =>
  new Pinecone({ apiKey, fetchApi: fetch, maxRetries: 0, ...(host === null ? {} : { controllerHostUrl: host }) })
    .inference
