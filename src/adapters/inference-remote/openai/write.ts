import { Output } from 'ai'
import { z } from 'zod'
import type { Random } from '../../../ports/clock.ts'
import type { AnswerWriter, Passage, Source, Statement } from '../../../ports/models/answer-writer.ts'
import { type Guard, malformed } from '../calls/guard.ts'
import type { Endpoint } from '../models/remote-config.ts'
import { aboutBlocks, blocksOf, createChat, type Prompt } from './chat.ts'
import { findJson } from './find-json.ts'

/** The requested output, for servers that enforce a schema. */
const statementsSchema = z.object({
  statements: z.array(
    z.object({ text: z.string(), sources: z.array(z.object({ passage: z.number(), quote: z.string() })) }),
  ),
})

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

/** The prompt for the writing model. */
function promptOf(question: string, passages: readonly Passage[], boundary: string): Prompt {
  return {
    system: `You answer a question from numbered passages, in the language of the question.

${aboutBlocks(boundary)}

Rules
- Say only what the passages say. If they do not answer the question, return no statements.
- Each statement is one short, complete sentence without citation markers, links or markup.
- Each statement names the passages that it rests on, with a quote copied from that passage character for character: a whole clause or sentence, not single words.
- Reply with JSON alone, in this form: {"statements": [{"text": "...", "sources": [{"passage": 1, "quote": "..."}]}]}`,
    prompt: `${blocksOf(passages, boundary)}\n\nQuestion: ${question}`,
  }
}

/** A shorter quote proves nothing, unless it is the whole passage. UTF-16 units. */
const shortestQuote = 8
/** Models copy words, but change line breaks and typographic quotes. */
const loose: readonly [RegExp, string][] = [
  [/\s+/gu, '\\s+'],
  [/["“”„«»]/gu, '["“”„«»]'],
  [/['‘’]/gu, "['‘’]"],
  [/[-‐‑–—]/gu, '[-‐‑–—]'],
]

const anyStatements = z.object({ statements: z.array(z.unknown()) })
const anyStatement = z.object({ text: z.string(), sources: z.array(z.unknown()) })
const anySource = z.object({ passage: z.coerce.number().int(), quote: z.string() })

const maxStatements = 12
const maxSources = 8
/** One sentence, and a clause or some sentences. UTF-16 units. */
const [longestStatement, longestQuote] = [2_000, 4_000]
/** A model's own markers cannot be checked: the answer gets new ones. */
const markers = /\s*\[\s*(?:passage\s*)?\p{N}[\s\p{N},;–-]*\]/giu

/**
 * The statements in a model's reply, as far as they can be parsed: servers without schemas wrap JSON in prose. Leaves
 * out statements of another shape; a quote that its passage does not contain is not a source. Throws if there is no
 * list at all.
 */
function readStatements(reply: string, passages: readonly Passage[]): Statement[] {
  const found = findJson(reply, (value) => anyStatements.safeParse(value).success)
  const list = anyStatements.safeParse(found)
  if (!list.success) throw malformed('wrote no statements')
  return list.data.statements.slice(0, maxStatements).flatMap((entry): Statement[] => {
    const statement = anyStatement.safeParse(entry)
    if (!statement.success || statement.data.text.length > longestStatement) return []
    const text = statement.data.text.replace(markers, '').trim().toWellFormed()
    const sources = statement.data.sources.slice(0, maxSources)
    return [{ text, sources: sources.flatMap((source) => readSource(source, passages)) }]
  })
}

function readSource(value: unknown, passages: readonly Passage[]): Source[] {
  const source = anySource.safeParse(value)
  if (!source.success || source.data.quote.length > longestQuote) return []
  const passage = source.data.passage - 1
  const text = passages[passage]?.text
  const place = text === undefined ? null : locate(source.data.quote, text)
  return place === null ? [] : [{ passage, ...place }]
}

/** The position of the quote in a passage, with the passage's own characters. Null if it is not there. */
function locate(quote: string, text: string): { quote: string; start: number } | null {
  const wanted = quote.trim()
  if (wanted.length < shortestQuote && wanted !== text.trim()) return null
  const start = text.indexOf(wanted)
  if (start >= 0) return wanted === '' ? null : { quote: wanted, start }
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')
  const pattern = loose.reduce((source, [from, to]) => source.replace(from, () => to), escaped)
  const match = new RegExp(pattern, 'u').exec(text)
  return match ? { quote: match[0], start: match.index } : null
}
