import { z } from 'zod'

/** A bare http(s) origin, spelled as browsers send it. */
const isOrigin = (text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:\/\/[^*]+$/.test(text) && url.origin === text
}

/** Comma-separated origins. An entry in another spelling would never equal what a browser sends. */
export const origins = z
  .string()
  .transform((list) => list.split(',').map((origin) => origin.trim()))
  .refine(
    (list) => list.every(isOrigin),
    'every entry must be a bare origin in lower case such as https://app.example.com: no path, wildcard, slash at the end or default port',
  )

/** The origin of a web address without a path. A slash at the end is accepted. */
export const originUrl = z
  .string()
  .refine(
    (text) => isOrigin(URL.parse(text)?.origin ?? '') && URL.parse(text)?.href === `${URL.parse(text)?.origin}/`,
    'must be an origin, such as https://search.example.com: http or https, a host, maybe a port, no path',
  )
  .transform((text) => new URL(text).origin)

/** An address with one of these schemes, such as the example. Further refinements may rely on that. */
export function address(schemes: readonly string[], example: string) {
  const isAddress = (text: string) => schemes.includes(URL.parse(text)?.protocol.slice(0, -1) ?? '')
  return z.string().refine(isAddress, { error: `must be an address such as ${example}`, abort: true })
}

export const webAddress = address(['http', 'https'], 'https://service.example.com')

/** An integer in decimal digits; other number formats of JavaScript are rejected. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return z
    .string()
    .refine(
      (text) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be an integer ${bounds}`,
    )
    .transform(Number)
}

/** A number in decimal notation, such as 0.5. */
export function decimal(min: number, max = Number.MAX_SAFE_INTEGER) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return z
    .string()
    .refine(
      (text) => /^\d{1,16}(\.\d{1,16})?$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a number ${bounds}`,
    )
    .transform(Number)
}
