import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Endpoint } from '../models/remote-config.ts'

/** The AI SDK's client of an OpenAI-compatible server, for one call. */
export const compatible = ({ baseUrl, apiKey }: Endpoint, fetch: typeof globalThis.fetch) =>
  createOpenAICompatible({
    name: 'openai',
    baseURL: baseUrl,
    fetch,
    supportsStructuredOutputs: true,
    ...(apiKey === null ? {} : { apiKey }),
  })
