import { z } from 'zod'
import { post } from '../program/service.ts'

const seeded = z.looseObject({ tokens: z.record(z.string(), z.string()) })

/**
 * The answer of `POST /v1/admin/seed`. Throws a `RefusedError` with the service's error message, else
 * `UnreachableError`.
 */
export async function requestSeed(url: string, token: string | null): Promise<object> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  return seeded.parse(await post(url, '/v1/admin/seed', seeded, { headers }))
}
