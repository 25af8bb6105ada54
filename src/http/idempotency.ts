import { badRequest } from '../errors.ts'
import { isKey, sessionCookie, unquoted } from '../model/request.ts'

/** The header Idempotency-Key, with or without quotes; null if there is none. Throws a 400 for one that is malformed. */
export function idempotencyKey(headers: Readonly<Record<string, string>>): string | null {
  const sent = headers['idempotency-key']
  if (sent === undefined) return null
  const key = unquoted(sent)
  if (!isKey(key)) throw badRequest('the header Idempotency-Key must be 1 to 255 visible ASCII characters')
  return key
}

/** What a request identifies its caller by: a bearer token, else a session's cookie. Empty if it has neither. */
export function credentialOf({ authorization, cookie }: Readonly<Record<string, string>>, brand: string): string {
  if (authorization !== undefined) return `bearer ${authorization.replace(/^bearer +/i, '').trim()}`
  const name = sessionCookie(brand)
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim())
  const session = pairs.find((pair) => pair.replace(/^__(Secure|Host)-/, '').startsWith(`${name}=`))
  return session === undefined ? '' : `cookie ${session.slice(session.indexOf('=') + 1)}`
}
