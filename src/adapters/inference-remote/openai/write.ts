import { generateText, NoObjectGeneratedError, Output } from 'ai'
import type { AnswerWriter } from '../../../ports/answer-writer.ts'
import type { Random } from '../../../ports/clock.ts'
import type { Guard } from '../guard/guard.ts'
import { throughSdk } from '../http/through-sdk.ts'
import { createVariants } from '../http/variants.ts'
import type { Endpoint } from '../remote-config.ts'
import { compatible } from './compatible.ts'
import { promptOf } from './prompt.ts'
import { readStatements, statementsSchema } from './read-statements.ts'

/** Not every server knows schemas, and not every model a temperature. */
const ladder = [
  { schema: true, steady: true },
  { schema: true, steady: false },
  { schema: false, steady: false },
]

/** POST /chat/completions of an OpenAI-compatible server. What comes back is read leniently and not trusted. */
export function createChatWriter(
  { endpoint, model }: { endpoint: Endpoint; model: string },
  guard: Guard,
  random: Random,
): AnswerWriter {
  const variants = createVariants(ladder)
  return {
    model: `openai:${model}`,
    write: (question, passages, outer) => {
      const prompt = promptOf(question, passages, random.base62(16))
      return guard.run(
        async (signal) => {
          const reply = await variants(({ schema, steady }) =>
            throughSdk(signal, (fetch) =>
              generateText({
                ...prompt,
                model: compatible(endpoint, fetch).chatModel(model),
                maxRetries: 0,
                abortSignal: signal,
                ...(schema ? { output: Output.object({ schema: statementsSchema, name: 'answer' }) } : {}),
                ...(steady ? { temperature: 0 } : {}),
              }).then(({ text }) => text, unreadable),
            ),
          )
          return readStatements(reply, passages)
        },
        { signal: outer, urgent: true },
      )
    },
  }
}

/** The SDK is strict with a schema, also where the server does not heed it; the text may still be of use. */
function unreadable(error: unknown): string {
  if (NoObjectGeneratedError.isInstance(error) && error.text !== undefined) return error.text
  throw error
}
