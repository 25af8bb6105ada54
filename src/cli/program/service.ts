import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { brandOfToken } from '../../model/brand.ts'
import { reasonOf } from './reason-of.ts'

/** A running service, and the caller's credential. */
export interface Service {
  url: string
  token: string
  /** A namespace other than the token's own. */
  namespace?: string | undefined
  /** The scope of the requests; by default the principal's scope. */
  scope?: string | undefined
}

/** There was no answer, or it did not come from the service: a retry may help. */
export class UnreachableError extends Error {}

export const addressProblem = '--url must be where the service is, such as http://127.0.0.1:8787'

export const isAddress = (url: string | undefined): url is string =>
  /^https?:$/.test(URL.parse(url ?? '')?.protocol ?? '')

/** The token in the file, else the one in the environment. Throws when there is none. */
export async function readToken(file: string | undefined, env: Record<string, string | undefined>): Promise<string> {
  const token = file === undefined ? env.SVC_TOKEN : (await readFile(file, 'utf8')).trim()
  if (!token) throw new Error('a token is needed: --token-file FILE, or SVC_TOKEN')
  return token
}

const envelope = z.object({ data: z.unknown() })
const refusal = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) })

/** The data of a GraphQL operation. Throws the service's error message, or an `UnreachableError`. */
export async function ask<S extends z.ZodType>(
  service: Service,
  data: S,
  query: string,
  variables: object,
): Promise<z.output<S>> {
  const { url } = service
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { ...headersOf(service), 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  }).catch((error: unknown) => {
    throw new UnreachableError(reasonOf(error))
  })
  const body: unknown = await response.json().catch(() => null)
  const refused = refusal.safeParse(body)
  if (refused.success) throw new Error(refused.data.errors[0]?.message)
  const answer = data.safeParse(envelope.safeParse(body).data?.data)
  if (!answer.success) throw new UnreachableError(`${url} answered ${response.status}`)
  return answer.data
}

/** Who calls, and where. */
export function headersOf({ token, namespace, scope }: Service): Record<string, string> {
  const brand = brandOf(token)
  return {
    authorization: `Bearer ${token}`,
    ...(namespace !== undefined && { [`x-${brand}-namespace`]: namespace }),
    ...(scope !== undefined && { [`x-${brand}-scope`]: scope }),
  }
}

/** The service's brand is in the headers and in tokens, but the super-admin's token may be any text. */
const brandOf = (token: string): string => brandOfToken(token) ?? 'svc'
