import { Output } from 'ai'
import type { Random } from '../../../ports/clock.ts'
import type { AnswerWriter } from '../../../ports/models/answer-writer.ts'
import type { Guard } from '../guard/guard.ts'
import type { Endpoint } from '../models/remote-config.ts'
import { createChat } from './chat.ts'
import { promptOf } from './prompt.ts'
import { readStatements, statementsSchema } from './read-statements.ts'

/** About 12 statements with their quotes. */
const maxOutputTokens = 2000
const output = Output.object({ schema: statementsSchema, name: 'answer' })

/** A chat model that writes answers. The reply is parsed leniently and not trusted. */
export function createChatWriter(
  chatModel: { endpoint: Endpoint; model: string },
  guard: Guard,
  random: Random,
): AnswerWriter {
  const chat = createChat(chatModel, guard, { output, maxOutputTokens })
  return {
    model: `openai:${chatModel.model}`,
    write: async (question, passages, signal) => {
      const reply = await chat(promptOf(question, passages, random.base62(16)), signal)
      // Outside the guard: a reply that a passage manipulated says nothing about the provider and must not pause it.
      return readStatements(reply, passages)
    },
  }
}
