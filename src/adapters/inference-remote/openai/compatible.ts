import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { trace } from '@opentelemetry/api'
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

/** Tokens of a call, on its span if there is one. */
export function noteUsage({ input, output }: { input?: number | undefined; output?: number | undefined }): void {
  const span = trace.getActiveSpan()
  if (input !== undefined) span?.setAttribute('gen_ai.usage.input_tokens', input)
  if (output !== undefined) span?.setAttribute('gen_ai.usage.output_tokens', output)
}
