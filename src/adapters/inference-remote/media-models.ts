import { openAsBlob } from 'node:fs'
import { z } from 'zod'
import { createLimiter, type Limiter } from '../../async/limits.ts'
import { transcriptOf } from '../../model/speech.ts'
import type {
  MediaModels,
  Picture,
  ReadPicture,
  ReadText,
  Recording,
  Transcribe,
} from '../../ports/models/media-models.ts'
import { RemoteError } from '../resilience/remote-error.ts'
import { systemTiming, type Timing } from '../resilience/retries.ts'
import { createGuard, type Guard, malformed } from './calls/guard.ts'
import { boundedFetch, createVariants, postJson } from './calls/http.ts'
import type { ChatModel } from './models/remote-config.ts'

/** The models that read pictures and recordings; null where none is configured. */
export interface MediaConfig {
  ocr: ChatModel | null
  caption: ChatModel | null
  transcribe: ChatModel | null
}

/** Nobody waits for these: they may take as long as `fetch` waits for an answer, 5 minutes. */
const timeoutMs = 290_000

/** The configured models that read pictures and recordings. Makes no requests yet. */
export function createMediaModels(
  { ocr, caption, transcribe }: MediaConfig,
  { concurrency, timing = systemTiming }: { concurrency: number; timing?: Timing },
): MediaModels {
  const limiters = new Map<string, Limiter>()
  const guardOf = ({ model, endpoint: { baseUrl } }: ChatModel, task: string) => {
    const limiter = limiters.get(baseUrl) ?? createLimiter({ max: concurrency })
    limiters.set(baseUrl, limiter)
    return createGuard({ name: `${model} (${task})`, timeoutMs, limiter, timing })
  }
  return {
    ocr: ocr && createTextReader(ocr, guardOf(ocr, 'text in pictures')),
    caption: caption && createPictureReader('caption', caption, guardOf(caption, 'captions')),
    transcribe: transcribe && createTranscriber(transcribe, guardOf(transcribe, 'transcription')),
  }
}

/** What OpenAI's API takes, base64 included. Bytes. */
const maxPicture = 15 * 2 ** 20
/** A page full of text. */
const limits = { temperature: 0, max_tokens: 4000 }
/** Reasoning models accept neither. */
const ladder = [limits, {}]

const prompts = {
  ocr: 'Copy all text in this picture, in reading order, word for word. Reply with that text alone, without comments. If the picture has no text, reply with NONE.',
  caption:
    'Say in one to three sentences what this picture shows, for someone who looks for it. Reply with that description alone.',
} as const

const reply = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
})

/** POST /chat/completions of an OpenAI-compatible server, with a picture. What it reads is data: nothing obeys it. */
function createPictureReader(
  task: keyof typeof prompts,
  { endpoint: { baseUrl, apiKey }, model }: ChatModel,
  guard: Guard,
): ReadPicture {
  const variants = createVariants(ladder)
  return async (picture, stop) => {
    if (picture.bytes.length > maxPicture) return ''
    const content = [
      { type: 'text', text: prompts[task] },
      { type: 'image_url', image_url: { url: dataUrl(picture) } },
    ]
    const body = { model, messages: [{ role: 'user', content }] }
    const answer = await unlessRefused(() =>
      guard.run(
        (signal) =>
          variants((options) => postJson(`${baseUrl}/chat/completions`, { ...body, ...options }, { apiKey, signal })),
        { signal: stop, urgent: false },
      ),
    )
    return answer === null ? '' : textOf(answer)
  }
}

/** A chat model does not say where it read what. */
function createTextReader(model: ChatModel, guard: Guard): ReadText {
  const read = createPictureReader('ocr', model, guard)
  return async (picture, stop) => ({ text: await read(picture, stop), lines: [] })
}

const dataUrl = ({ mime, bytes }: Picture) => `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`

function textOf(answer: unknown): string {
  const { success, data } = reply.safeParse(answer)
  if (!success) throw malformed('answered in no known shape')
  const said = (data.choices[0]?.message.content ?? '').replace(/<think>[\s\S]*?<\/think>/giu, '').trim()
  const text = said.replace(/^```\w*\n([\s\S]*?)\n?```$/u, '$1').trim()
  return /^\W*none\W*$/iu.test(text) ? '' : text
}

/** It has times for each part, and of some servers for each word. Bytes. */
const longestTranscript = 32 * 2 ** 20

/** The first has times; not every model writes it. */
const shapes = ['verbose_json', 'json'] as const

const plainAnswer = z.object({ text: z.string() })

/** POST /audio/transcriptions of an OpenAI-compatible server. */
function createTranscriber({ endpoint: { baseUrl, apiKey }, model }: ChatModel, guard: Guard): Transcribe {
  const variants = createVariants(shapes)
  const headers = { accept: 'application/json', ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }) }
  return async (recording, stop) => {
    const answer = await unlessRefused(() =>
      guard.run(
        (signal) =>
          variants(async (shape) => {
            const body = await formOf(recording, model, shape)
            const request = { method: 'POST', headers, body, signal }
            return (await boundedFetch(`${baseUrl}/audio/transcriptions`, request, longestTranscript)).json()
          }),
        { signal: stop, urgent: false },
      ),
    )
    return answer === null ? [] : cuesIn(answer)
  }
}

async function formOf({ path, name, mime }: Recording, model: string, shape: string): Promise<FormData> {
  const form = new FormData()
  form.set('model', model)
  form.set('response_format', shape)
  form.set('file', await openAsBlob(path, { type: mime }), name.replace(/^.*[/\\#]/, ''))
  return form
}

function cuesIn(answer: unknown) {
  const cues = transcriptOf(answer)
  if (cues) return cues
  const { success, data } = plainAnswer.safeParse(answer)
  if (!success) throw malformed('answered in no known shape')
  const text = data.text.trim()
  return text === '' ? [] : [{ startMs: 0, endMs: 0, text, speaker: null }]
}

/** Answers about one picture or recording: it is too large, damaged, or of a type that the provider does not read. */
const refusals: ReadonlySet<number | null> = new Set([400, 413, 415, 422])

/** Null where the provider refuses what it was sent; another try would change nothing. */
async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof RemoteError && refusals.has(error.httpStatus)) return null
    throw error
  }
}
