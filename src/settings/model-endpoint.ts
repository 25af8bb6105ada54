import { z } from 'zod'
import type { Endpoint } from '../adapters/inference-remote/models/remote-config.ts'
import { webAddress } from './kinds.ts'

export const baseUrl = webAddress
  .refine((url) => new URL(url).username === '' && new URL(url).search === '', 'must not hold a key or a query')
  .transform((url) => url.replace(/\/+$/u, ''))
  .optional()
export const model = z.string().max(256).optional()
export const key = z.string().optional()

/** Tasks whose models may have a server of their own. */
type Task = 'RERANK' | 'CHAT' | 'NLI' | 'OCR' | 'CAPTION' | 'TRANSCRIBE'

type EndpointEnv = Partial<
  Record<`${Task}_BASE_URL` | `${Task}_API_KEY` | 'INFERENCE_BASE_URL' | 'INFERENCE_API_KEY', string | undefined>
>

/** A key is only sent to the address that it was configured for. */
export function endpointOf(
  env: EndpointEnv,
  name: string,
  task: Task | undefined,
  problems: string[],
): Endpoint | null {
  const own = task && env[`${task}_BASE_URL`]
  if (task && own !== undefined) return { baseUrl: own, apiKey: env[`${task}_API_KEY`] ?? null }
  if (task && env[`${task}_API_KEY`] !== undefined) report(problems, `${task}_BASE_URL: is needed with ${task}_API_KEY`)
  const { INFERENCE_BASE_URL, INFERENCE_API_KEY: apiKey = null } = env
  if (INFERENCE_BASE_URL !== undefined) return { baseUrl: INFERENCE_BASE_URL, apiKey }
  report(problems, `INFERENCE_BASE_URL: is needed with ${name}`)
  return null
}

/** Nothing external does this task; a server without a model is a mistake. */
export function needless(env: EndpointEnv, task: Task, problems: string[]): { kind: 'builtin' } {
  if (env[`${task}_BASE_URL`] !== undefined) report(problems, `${task}_MODEL: is needed with ${task}_BASE_URL`)
  return { kind: 'builtin' }
}

export const report = (problems: string[], problem: string) => {
  if (!problems.includes(problem)) problems.push(problem)
}
