import { z } from 'zod'
import type { Picture, ReadPicture } from '../../../ports/models/media-models.ts'
import type { Guard } from '../guard/guard.ts'
import { malformed } from '../guard/problems.ts'
import { postJson } from '../http/bounded-fetch.ts'
import { createVariants } from '../http/variants.ts'
import type { ChatModel } from '../models/remote-config.ts'
import { unlessRefused } from './unless-refused.ts'

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
export function createPictureReader(
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

const dataUrl = ({ mime, bytes }: Picture) => `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`

function textOf(answer: unknown): string {
  const { success, data } = reply.safeParse(answer)
  if (!success) throw malformed('answered in no known shape')
  const said = (data.choices[0]?.message.content ?? '').replace(/<think>[\s\S]*?<\/think>/giu, '').trim()
  const text = said.replace(/^```\w*\n([\s\S]*?)\n?```$/u, '$1').trim()
  return /^\W*none\W*$/iu.test(text) ? '' : text
}
