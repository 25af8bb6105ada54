import { OauthError, withParameters } from '../../model/oauth.ts'
import { type HttpRequest, isCleanText } from '../message.ts'

export const bodyLimit = 64 * 1024

/** The client's own address, with what was wrong (RFC 6749, 4.1.2.1; RFC 9207). */
export const errorAddress = ({ code, message, redirect: to }: OauthError, iss: string): string =>
  withParameters(to?.uri ?? iss, { error: code, error_description: message, state: to?.state, iss })

export function readParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query)
  for (const [name, value] of parameters) {
    if (!isCleanText(name) || !isCleanText(value))
      throw new OauthError('invalid_request', 'a parameter must not contain NUL or an unpaired surrogate')
  }
  return parameters
}

export async function readJson(request: HttpRequest): Promise<unknown> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const text = Buffer.from(await request.body(bodyLimit)).toString()
  try {
    if (type === 'application/json' && isCleanText(text)) return JSON.parse(text)
  } catch {
    // The same answer as to another type.
  }
  throw new OauthError('invalid_request', 'the body must be JSON, sent as application/json')
}
