import { z } from 'zod'
import { RefusedError } from '../../model/operator-error.ts'
import { reasonOf } from '../program/reason-of.ts'
import { UnreachableError } from '../program/service.ts'

const refusal = z.object({ error: z.string(), detail: z.string() })
const seeded = z.looseObject({ tokens: z.record(z.string(), z.string()) })

/**
 * The answer of `POST /v1/admin/seed`. Throws a `RefusedError` with the service's error message, else
 * `UnreachableError`.
 */
export async function requestSeed(url: string, token: string | null): Promise<object> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(new URL('/v1/admin/seed', url), { method: 'POST', headers }).catch((error: unknown) => {
    throw new UnreachableError(`${url} is out of reach: ${reasonOf(error)}`)
  })
  const body: unknown = await response.json().catch(() => null)
  const refused = refusal.safeParse(body).data
  if (refused) throw new RefusedError(`${refused.detail} (${refused.error})`)
  const answer = seeded.safeParse(body).data
  if (!response.ok || !answer)
    throw new UnreachableError(`${url} answered ${response.status}, and not as the service does`)
  return answer
}
