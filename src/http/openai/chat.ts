import { z } from 'zod'
import { badRequest } from '../../errors.ts'
import { eventStream, toData } from '../events.ts'
import { json } from '../message.ts'
import { readInput, type SurfaceCaller, tokensOf } from '../rest/surface.ts'
import {
  markersIn,
  message,
  metadataOf,
  modelOf,
  type Question,
  questionOf,
  refuse,
  type Written,
  write,
  writeInPieces,
} from './answering.ts'
import { type OpenAiRequest, type OpenAiRoute, seconds } from './request.ts'

/** Parameters that shape a model's sampling change nothing here: answers are made of quotes. */
const input = z.looseObject({
  model: z.string('must be a string'),
  messages: z.array(message, 'must be a list').min(1, 'must not be empty'),
  stream: z.boolean('must be true or false').nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean('must be true or false').nullish() }).nullish(),
  n: z.literal(1, 'must be 1').nullish(),
  modalities: z.array(z.literal('text', 'must be text')).nullish(),
  response_format: z.looseObject({ type: z.literal('text', 'must be text') }).nullish(),
})

const notOffered = {
  tools: 'must be left out: tools are not offered',
  functions: 'must be left out: functions are not offered',
  logprobs: 'must be left out: answers have no probabilities of tokens',
  top_logprobs: 'must be left out: answers have no probabilities of tokens',
  audio: 'must be left out: answers are text',
  web_search_options: 'must be left out: answers come from the Units alone',
}

export const chatRoutes: readonly OpenAiRoute[] = [
  {
    method: 'POST',
    path: '/chat/completions',
    answer: async (request) => {
      const body = await request.body()
      refuse(body, notOffered)
      const { model, messages, stream, stream_options } = readInput(input, body)
      const { kind, scope } = modelOf(request.caller.brand, model)
      if (stream_options && !stream) throw badRequest('stream_options: must be left out without stream')
      const question = questionOf(messages, 'messages')
      const caller = await request.caller.within(scope)
      const frame = { id: `chatcmpl-${caller.requestId}`, created: seconds(caller.now), model }
      if (stream) {
        const pieces = writeInPieces(caller, kind, { ...question })
        return eventStream(
          chunks(caller, frame, question, pieces, stream_options?.include_usage === true),
          lastChunk(request),
        )
      }
      const whole = await write(caller, kind, { ...question })
      const answer = {
        role: 'assistant',
        content: whole.text,
        refusal: null,
        annotations: annotationsOf(caller, whole),
      }
      return json(200, {
        ...frame,
        object: 'chat.completion',
        choices: [{ index: 0, message: answer, logprobs: null, finish_reason: 'stop' }],
        usage: usageOf(question, whole),
        metadata: metadataOf(whole),
      })
    },
  },
]

const lastChunk = (request: OpenAiRequest) => (error: unknown) => toData(request.failureOf(error))

/** The role, each piece, what the markers stand for, perhaps the usage, and the end. */
async function* chunks(
  caller: SurfaceCaller,
  frame: object,
  question: Question,
  pieces: AsyncIterable<string | Written>,
  includeUsage: boolean,
): AsyncGenerator<string> {
  const chunk = (choices: object[], more: object = {}) =>
    toData({ ...frame, object: 'chat.completion.chunk', choices, ...(includeUsage && { usage: null }), ...more })
  const choice = (delta: object, finish_reason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason },
  ]
  let isFirst = true
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      yield chunk(choice(isFirst ? { role: 'assistant', content: piece } : { content: piece }))
      isFirst = false
      continue
    }
    const annotations = annotationsOf(caller, piece)
    yield chunk(choice({ annotations }, 'stop'), { metadata: metadataOf(piece) })
    if (includeUsage) yield chunk([], { usage: usageOf(question, piece) })
  }
  yield 'data: [DONE]\n\n'
}

const annotationsOf = ({ urlOf }: SurfaceCaller, whole: Written) =>
  markersIn(whole).map(({ start, end, unit, title }) => ({
    type: 'url_citation',
    url_citation: { url: urlOf(unit.unit_id), title, start_index: start, end_index: end },
  }))

/** Estimates: which tokens a model would see is not known here. */
function usageOf({ q, history }: Question, { text }: Written) {
  const prompt_tokens = tokensOf([q, ...history.flatMap((turn) => [turn.q, turn.answer])].join('\n'))
  const completion_tokens = tokensOf(text)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
