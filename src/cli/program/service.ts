import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { RefusedError } from '../../model/operator-error.ts'
import { brandOfToken } from '../../model/request.ts'
import { type Environment, reasonOf, text, UsageError } from './command.ts'

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

/** The flags of each command that uses a running service. No flag takes a token: other users of the machine read command lines. */
export const serviceFlags = { url: text, 'token-file': text, namespace: text, scope: text }

interface ServiceValues {
  url?: string | undefined
  'token-file'?: string | undefined
  namespace?: string | undefined
  scope?: string | undefined
}

/** Throws when the address is not one, or when there is no token. */
export async function readService(
  { url, namespace, scope, ...others }: ServiceValues,
  env: Environment,
): Promise<Service> {
  return { url: readAddress(url, env), token: await readToken(others['token-file'], env), namespace, scope }
}

/** `SVC_URL` by default, else this machine. Throws a `UsageError` for what is not an address. */
export function readAddress(flag: string | undefined, env: Environment): string {
  const url = flag ?? (env.SVC_URL || `http://127.0.0.1:${env.PORT || 8787}`)
  if (!isAddress(url)) throw new UsageError('--url must be where the service is, such as http://127.0.0.1:8787')
  return url
}

const isAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')

/** The token in the file, else the one in the environment. Throws when there is none. */
export async function readToken(file: string | undefined, env: Environment): Promise<string> {
  const token = file === undefined ? env.SVC_TOKEN : (await readFile(file, 'utf8')).trim()
  if (!token)
    throw new Error(
      'a token is needed: --token-file FILE, or SVC_TOKEN; seed prints some, and the console makes keys (Access, Keys)',
    )
  return token
}

const restRefusal = z.object({ error: z.string(), detail: z.string() })

/**
 * The response of a POST to a REST route. Throws a `RefusedError` with the service's error message, else an
 * `UnreachableError`, also for a response of another shape.
 */
export async function post(url: string, path: string, shape: z.ZodType, request: RequestInit): Promise<unknown> {
  const response = await fetch(new URL(path, url), { ...request, method: 'POST' }).catch((error: unknown) => {
    throw new UnreachableError(
      `${url} is out of reach (${reasonOf(error)}); start the service, or set --url or SVC_URL`,
    )
  })
  const body: unknown = await response.json().catch(() => null)
  const refused = restRefusal.safeParse(body).data
  if (refused) throw new RefusedError(`${refused.detail} (${refused.error})`, refused.error)
  if (!response.ok || !shape.safeParse(body).success)
    throw new UnreachableError(`${url} answered ${response.status}, and not as the service does`)
  return body
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
