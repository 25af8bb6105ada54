import { createHash } from 'node:crypto'
import { z } from 'zod'
import { badRequest, notFound } from '../../errors.ts'
import { beginningOf } from '../../model/beginning.ts'
import { answerEvents, hitFacts } from '../../operations/operation.ts'
import { eventStream, toData } from '../events.ts'
import { json } from '../message.ts'
import { type CallPlan, wholeBody } from '../rest/call.ts'
import { type Found, nameOf, readInput, type SurfaceCaller, tokensOf } from '../rest/surface.ts'
import { type OpenAiRequest, type OpenAiRoute, seconds } from './request.ts'

const answerShape = `answer { text citations { marker unit_id quote sha256 } abstained } ${hitFacts}`

export const answeringCalls: Record<string, CallPlan> = {
  search: { field: 'search', args: { input: wholeBody }, answer: hitFacts },
  answer: { field: 'answer', args: { input: wholeBody }, answer: answerShape },
}
export const answeringStreams: Record<string, CallPlan> = {
  answer: { field: 'answer', args: { input: wholeBody }, answer: answerEvents(answerShape) },
}

const part = z.looseObject({ type: z.string('must be a string'), text: z.string('must be a string').optional() })
const content = z.union([z.string(), z.array(part)], 'must be a string or a list of parts').nullish()
/** A message of a conversation, as both APIs have it. */
export const message = z.looseObject({ role: z.string('must be a string'), content })
type Message = z.output<typeof message>

const maxQuestion = 8_192
const maxTurns = 10

/** A question and its earlier turns, in the names of REST. */
export interface Question {
  q: string
  history: { q: string; answer: string }[]
}

/** The last message of the user is the question; those before it, with their answers, are its history. */
export function questionOf(messages: readonly Partial<Message>[], field: string): Question {
  const textAt = (i: number) => textOf(messages[i]?.content, `${field}[${i}].content`)
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) throw badRequest(`${field}: must have a message of the user`)
  const q = textAt(last)
  if (q.trim() === '') throw badRequest(`${field}[${last}].content: must not be empty`)
  if (q.length > maxQuestion) throw badRequest(`${field}[${last}].content: must be at most ${maxQuestion} characters`)
  const history: Question['history'] = []
  let open = ''
  for (const [i, { role }] of messages.slice(0, last).entries()) {
    if (role !== 'user' && role !== 'assistant') continue
    const said = textAt(i).slice(0, maxQuestion).toWellFormed()
    if (role === 'user') open = said
    else if (open.trim() !== '' && said.trim() !== '') {
      history.push({ q: open, answer: said })
      open = ''
    }
  }
  return { q, history: history.slice(-maxTurns) }
}

function textOf(content: Message['content'], place: string): string {
  if (typeof content === 'string') return content
  return (content ?? [])
    .map(({ type, text }, i) => {
      if (['text', 'input_text', 'output_text'].includes(type)) return text ?? ''
      throw badRequest(`${place}[${i}].type: must be text: other content is not offered`)
    })
    .join('\n')
}

/** Throws a 400 for the first of these fields that is used. */
export function refuse(body: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, string>>): void {
  for (const [field, problem] of Object.entries(fields)) {
    const value = body[field]
    const isUnused =
      value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0)
    if (!isUnused) throw badRequest(`${field}: ${problem}`)
  }
}

/** Of `svc-answer` or `svc-search`, perhaps with a scope after a colon. Throws 404 for another model. */
export function modelOf(brand: string, model: string): { kind: 'answer' | 'search'; scope: string | undefined } {
  const [name = '', ...scope] = model.split(':')
  const kind = (['answer', 'search'] as const).find((one) => name === `${brand}-${one}`)
  if (!kind) throw notFound(`model: must be ${brand}-answer or ${brand}-search`)
  return { kind, scope: scope.length > 0 ? scope.join(':') : undefined }
}

/** A text with markers `[n]`, and what they stand for. */
export interface Written {
  text: string
  citations: { marker: number; unit_id: string; quote: string; sha256: string | null }[]
  hits: Found[]
  abstained: boolean
}

interface Answered {
  answer: Pick<Written, 'text' | 'citations' | 'abstained'> | null
  hits: Found[]
}

/** Writes an answer, or shows what was found. `wire` is the query in the names of REST. */
export async function write(
  caller: SurfaceCaller,
  kind: 'answer' | 'search',
  wire: Readonly<Record<string, unknown>>,
): Promise<Written> {
  if (kind === 'search') return shown((await caller.run<{ hits: Found[] }>('search', searchOf(wire))).hits)
  return written(await caller.run<Answered>('answer', wire))
}

/** The same as it is made: pieces of the text, then the whole. */
export async function* writeInPieces(
  caller: SurfaceCaller,
  kind: 'answer' | 'search',
  wire: Readonly<Record<string, unknown>>,
): AsyncGenerator<string | Written> {
  if (kind === 'search') {
    const whole = await write(caller, kind, wire)
    yield whole.text
    yield whole
    return
  }
  let sent = ''
  for await (const event of caller.stream<{ text: string } | { result: Answered }>('answer', wire)) {
    if ('text' in event) {
      const piece = sent === '' ? event.text : ` ${event.text}`
      sent += piece
      yield piece
    } else if (event.result.answer) {
      const whole = written(event.result)
      // An abstention has no sentences.
      if (sent === '') yield whole.text
      yield whole
    }
  }
}

function written({ answer, hits }: Answered): Written {
  if (!answer) throw new Error('an answer has no text')
  return { ...answer, hits }
}

/** A search takes no history, and does not answer. */
const searchOf = ({ history: _, ...wire }: Readonly<Record<string, unknown>>) => wire

const maxExcerpt = 600
/** A longer text of a hit may be a part of its Unit's. */
const maxWhole = 8_000

function shown(hits: Found[]): Written {
  const citations = hits.map(({ unit_id, text }, i) => ({
    marker: i + 1,
    unit_id,
    quote: beginningOf(text ?? '', maxExcerpt).trimEnd(),
    sha256: text === null || text.length > maxWhole ? null : createHash('sha256').update(text).digest('hex'),
  }))
  const lines = hits.map((hit, i) => {
    const quote = citations[i]?.quote.replace(/\s+/gu, ' ').replace(/\[(\d+)\]/g, '\\[$1\\]')
    return `${quote || nameOf(hit)} [${i + 1}]`
  })
  const abstained = hits.length === 0
  return { text: abstained ? 'Nothing was found.' : lines.join('\n\n'), citations, hits, abstained }
}

/** Each marker in the text, with its citation and the Unit that it leads to. */
export function markersIn({ text, citations, hits }: Written) {
  return [...text.matchAll(/(?<!\\)\[(\d+)\]/g)].flatMap((match) => {
    const citation = citations.find(({ marker }) => marker === Number(match[1]))
    const unit = hits.find(({ unit_id }) => unit_id === citation?.unit_id)
    return citation && unit
      ? [{ start: match.index, end: match.index + match[0].length, citation, unit, title: nameOf(unit) }]
      : []
  })
}

/** What a caller checks a text against, beside the text in both APIs. Typed clients take only texts as values. */
export const metadataOf = ({ abstained, citations }: Written) => ({
  abstained: `${abstained}`,
  citations: JSON.stringify(citations),
})

/** Estimates: which tokens a model would see is not known here. */
export const tokensIn = ({ q, history }: Question, { text }: Written) => ({
  asked: tokensOf([q, ...history.flatMap((turn) => [turn.q, turn.answer])].join('\n')),
  said: tokensOf(text),
})

/** OpenAI's name of what a Unit belongs to: its `doc_id`, else its own id. */
export const fileIdOf = ({ doc_id, unit_id }: Found): string => doc_id ?? unit_id

export const fileNameOf = (unit: Found): string =>
  typeof unit.metadata.path === 'string' ? unit.metadata.path : nameOf(unit)

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

const usageOf = (question: Question, whole: Written) => {
  const { asked, said } = tokensIn(question, whole)
  return { prompt_tokens: asked, completion_tokens: said, total_tokens: asked + said }
}
