import { noAnswer, ServiceError, unreachable } from '../graphql/service-error.ts'

/** Calls one endpoint of the sign-in. Rejects with a ServiceError. */
export async function callSignIn(
  endpoint: string,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<{ url?: string; token?: string | null }> {
  const response = await fetch(`/api/auth/${endpoint}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw unreachable()
  })
  const answer: { message?: string; detail?: string; code?: string; url?: string; token?: string | null } =
    await response.json().catch(() => ({}))
  if (response.ok) return answer ?? {}
  throw new ServiceError(answer.detail ?? answer.message ?? noAnswer(response.status), {
    code: answer.code ?? 'sign_in',
    status: response.status,
    requestId: response.headers.get('x-request-id'),
  })
}
