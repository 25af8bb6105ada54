import { generateText, NoObjectGeneratedError, type Output } from 'ai'
import type { Guard } from '../guard/guard.ts'
import { noteUsage } from '../http/note-usage.ts'
import { throughSdk } from '../http/through-sdk.ts'
import { createVariants } from '../http/variants.ts'
import type { Endpoint } from '../models/remote-config.ts'
import { compatible } from './compatible.ts'

export interface Prompt {
  system: string
  prompt: string
}

interface ChatOptions {
  /** The requested shape of the reply, for servers that enforce one. */
  output: ReturnType<typeof Output.object>
  /** A passage may request an endless reply. Tokens. */
  maxOutputTokens: number
}

/**
 * POST /chat/completions of an OpenAI-compatible server: the text of the reply. It may have any shape. A user waits for
 * it. Throws RemoteError.
 */
export function createChat(
  { endpoint, model }: { endpoint: Endpoint; model: string },
  guard: Guard,
  { output, maxOutputTokens }: ChatOptions,
): (prompt: Prompt, signal?: AbortSignal) => Promise<string> {
  const settings = { temperature: 0, maxOutputTokens }
  // Not every server supports schemas, and reasoning models accept neither a temperature nor this limit.
  const variants = createVariants([{ output, ...settings }, { output }, settings, {}])
  return (prompt, outer) =>
    guard.run(
      (signal) =>
        variants((options) =>
          throughSdk(signal, (fetch) => {
            const chat = compatible(endpoint, fetch).chatModel(model)
            return generateText({ ...prompt, ...options, model: chat, maxRetries: 0, abortSignal: signal }).then(
              ({ text, usage }) => {
                noteUsage({ input: usage.inputTokens, output: usage.outputTokens })
                return text
              },
              unreadable,
            )
          }),
        ),
      { signal: outer, urgent: true },
    )
}

/** The SDK enforces a schema even if the server ignores it; the text may still be usable. */
function unreadable(error: unknown): string {
  if (NoObjectGeneratedError.isInstance(error) && error.text !== undefined) return error.text
  throw error
}
