import { openAsBlob } from 'node:fs'
import { z } from 'zod'
import { transcriptOf } from '../../../model/speech.ts'
import type { Recording, Transcribe } from '../../../ports/models/media-models.ts'
import type { Guard } from '../guard/guard.ts'
import { malformed } from '../guard/problems.ts'
import { boundedFetch } from '../http/bounded-fetch.ts'
import { createVariants } from '../http/variants.ts'
import type { ChatModel } from '../models/remote-config.ts'
import { unlessRefused } from './unless-refused.ts'

/** It has times for each part, and of some servers for each word. Bytes. */
const longestTranscript = 32 * 2 ** 20

/** The first has times; not every model writes it. */
const shapes = ['verbose_json', 'json'] as const

const plainAnswer = z.object({ text: z.string() })

/** POST /audio/transcriptions of an OpenAI-compatible server. */
export function createTranscriber({ endpoint: { baseUrl, apiKey }, model }: ChatModel, guard: Guard): Transcribe {
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
