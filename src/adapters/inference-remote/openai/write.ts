import { generateText, NoObjectGeneratedError, Output } from 'ai'
import type { Random } from '../../../ports/clock.ts'
import type { AnswerWriter } from '../../../ports/models/answer-writer.ts'
import type { Guard } from '../guard/guard.ts'
import { throughSdk } from '../http/through-sdk.ts'
import { createVariants } from '../http/variants.ts'
import type { Endpoint } from '../models/remote-config.ts'
import { compatible } from './compatible.ts'
import { promptOf } from './prompt.ts'
import { readStatements, statementsSchema } from './read-statements.ts'

/** A passage may request an endless answer. About 12 statements with their quotes. */
const settings = { temperature: 0, maxOutputTokens: 2000 }
const output = Output.object({ schema: statementsSchema, name: 'answer' })

/** Not every server supports schemas, and reasoning models accept neither a temperature nor this limit. */
const ladder = [{ output, ...settings }, { output }, settings, {}]

/** POST /chat/completions of an OpenAI-compatible server. The reply is parsed leniently and not trusted. */
export function createChatWriter(
  { endpoint, model }: { endpoint: Endpoint; model: string },
  guard: Guard,
  random: Random,
): AnswerWriter {
  const variants = createVariants(ladder)
  return {
    model: `openai:${model}`,
    write: async (question, passages, outer) => {
      const prompt = promptOf(question, passages, random.base62(16))
      const reply = await guard.run(
        (signal) =>
          variants((options) =>
            throughSdk(signal, (fetch) => {
              const chat = compatible(endpoint, fetch).chatModel(model)
              return generateText({ ...prompt, ...options, model: chat, maxRetries: 0, abortSignal: signal }).then(
                ({ text }) => text,
                unreadable,
              )
            }),
          ),
        { signal: outer, urgent: true },
      )
      // Outside the guard: a reply that a passage manipulated says nothing about the provider and must not pause it.
      return readStatements(reply, passages)
    },
  }
}

/** The SDK enforces a schema even if the server ignores it; the text may still be usable. */
function unreadable(error: unknown): string {
  if (NoObjectGeneratedError.isInstance(error) && error.text !== undefined) return error.text
  throw error
}
