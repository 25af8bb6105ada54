import { z } from 'zod'
import { eventStream, toEvent } from '../events.ts'
import { json } from '../message.ts'
import { type Found, readInput, type SurfaceCaller } from '../rest/surface.ts'
import {
  fileIdOf,
  fileNameOf,
  markersIn,
  message,
  metadataOf,
  modelOf,
  type Question,
  questionOf,
  refuse,
  tokensIn,
  type Written,
  write,
  writeInPieces,
} from './answering.ts'
import { selected, selection, storeOf } from './filters.ts'
import { type OpenAiRoute, seconds } from './request.ts'

const fileSearch = z.looseObject({
  type: z.literal('file_search', 'must be file_search: no other tool is offered'),
  vector_store_ids: z
    .array(z.string('must be a string'), 'must be a list')
    .max(1, 'must have at most one: name a scope above them')
    .optional(),
  ...selection,
})

const input = z.looseObject({
  model: z.string('must be a string'),
  /** What an earlier response put out, such as searches, has no role, and tells nothing more. */
  input: z.union(
    [z.string(), z.array(message.partial({ role: true })).min(1, 'must not be empty')],
    'must be a text or a list of messages',
  ),
  stream: z.boolean('must be true or false').nullish(),
  tools: z.array(fileSearch, 'must be a list').max(1, 'must be one: file_search').nullish(),
  include: z.array(z.string(), 'must be a list').nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.literal('text', 'must be text') }).nullish() }).nullish(),
  instructions: z.string('must be a string').nullish(),
})

const notOffered = {
  previous_response_id: 'must be left out: responses are not kept; send the earlier messages',
  conversation: 'must be left out: conversations are not kept; send the earlier messages',
  background: 'must be left out: answers are made at once',
  top_logprobs: 'must be left out: answers have no probabilities of tokens',
  prompt: 'must be left out: prompts are not kept',
}

export const responseRoutes: readonly OpenAiRoute[] = [
  {
    method: 'POST',
    path: '/responses',
    answer: async ({ caller: connected, body: read, failureOf }) => {
      const body = await read()
      refuse(body, notOffered)
      const sent = readInput(input, body)
      const { kind, scope } = modelOf(connected.brand, sent.model)
      const [tool] = sent.tools ?? []
      const caller = await connected.within(storeOf(tool?.vector_store_ids?.[0]) ?? scope)
      const messages = typeof sent.input === 'string' ? [{ role: 'user', content: sent.input }] : sent.input
      const question = questionOf(messages, 'input')
      const wire = { ...question, ...selected(tool ?? {}, 'tools[0].filters') }
      const frame = frameOf(caller, body, sent.instructions ?? null)
      const withResults = sent.include?.includes('file_search_call.results') ?? false
      const outputOf = (whole: Written) => [
        ...(tool ? [callOf(caller, question, whole.hits, withResults)] : []),
        messageOf(caller, whole),
      ]
      const finished = (whole: Written) => ({
        ...frame,
        status: 'completed',
        output: outputOf(whole),
        metadata: metadataOf(whole),
        usage: usageOf(question, whole),
      })
      if (!sent.stream) return json(200, finished(await write(caller, kind, wire)))
      return eventStream(
        numbered(
          events(
            caller,
            frame,
            writeInPieces(caller, kind, wire),
            finished,
            tool ? callOf(caller, question, [], false) : null,
          ),
        ),
        (error) => {
          const { code, message, param } = failureOf(error).error
          return toEvent('error', { type: 'error', code, message, param, sequence_number: null })
        },
      )
    },
  },
]

function frameOf(caller: SurfaceCaller, body: Readonly<Record<string, unknown>>, instructions: string | null) {
  return {
    id: `resp_${caller.requestId}`,
    object: 'response',
    created_at: seconds(caller.now),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions,
    model: body.model,
    output: [] as object[],
    parallel_tool_calls: false,
    temperature: null,
    top_p: null,
    tool_choice: 'auto',
    tools: body.tools ?? [],
    metadata: {} as object,
    usage: null as object | null,
  }
}

const callOf = (caller: SurfaceCaller, { q }: Question, hits: readonly Found[], withResults: boolean) => ({
  id: `fs_${caller.requestId}`,
  type: 'file_search_call',
  status: 'completed',
  queries: [q],
  results: withResults
    ? hits.map((hit) => ({
        file_id: fileIdOf(hit),
        filename: fileNameOf(hit),
        score: hit.score ?? 0,
        text: hit.text ?? '',
        attributes: hit.metadata,
      }))
    : null,
})

const messageOf = (caller: SurfaceCaller, whole: Written) => ({
  id: `msg_${caller.requestId}`,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [partOf(whole)],
})

const partOf = (whole: Written) => ({
  type: 'output_text',
  text: whole.text,
  annotations: markersIn(whole).map(({ start, unit }) => ({
    type: 'file_citation',
    index: start,
    file_id: fileIdOf(unit),
    filename: fileNameOf(unit),
  })),
  logprobs: [],
})

type Event = { type: string } & Record<string, unknown>

async function* events(
  caller: SurfaceCaller,
  frame: ReturnType<typeof frameOf>,
  pieces: AsyncIterable<string | Written>,
  finished: (whole: Written) => { output: readonly object[] },
  call: ReturnType<typeof callOf> | null,
): AsyncGenerator<Event> {
  const output_index = call ? 1 : 0
  const item_id = `msg_${caller.requestId}`
  const place = { item_id, output_index, content_index: 0 }
  let isOpen = false
  for await (const piece of pieces) {
    if (!isOpen) {
      isOpen = true
      yield { type: 'response.created', response: frame }
      yield { type: 'response.in_progress', response: frame }
      if (call) {
        yield { type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress' } }
        for (const step of ['in_progress', 'searching', 'completed'])
          yield { type: `response.file_search_call.${step}`, output_index: 0, item_id: call.id }
      }
      const item = { id: item_id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
      yield { type: 'response.output_item.added', output_index, item }
      const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
      yield { type: 'response.content_part.added', ...place, part }
    }
    if (typeof piece === 'string') {
      yield { type: 'response.output_text.delta', ...place, delta: piece, logprobs: [] }
      continue
    }
    const part = partOf(piece)
    for (const [annotation_index, annotation] of part.annotations.entries())
      yield { type: 'response.output_text.annotation.added', ...place, annotation_index, annotation }
    yield { type: 'response.output_text.done', ...place, text: piece.text, logprobs: [] }
    yield { type: 'response.content_part.done', ...place, part }
    const response = finished(piece)
    // The results of the search are known only now.
    for (const [index, item] of response.output.entries())
      yield { type: 'response.output_item.done', output_index: index, item }
    yield { type: 'response.completed', response }
  }
}

async function* numbered(source: AsyncIterable<Event>): AsyncGenerator<string> {
  let sequence_number = 0
  for await (const event of source) yield toEvent(event.type, { ...event, sequence_number: sequence_number++ })
}

const usageOf = (question: Question, whole: Written) => {
  const { asked, said } = tokensIn(question, whole)
  return {
    input_tokens: asked,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: said,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: asked + said,
  }
}
