const loopback = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?=[/?]|$)/

/** What is wrong with an address that a client wants to register; null if nothing is. */
export function redirectProblem(uri: string, applicationType: 'native' | 'web'): string | null {
  const address = URL.canParse(uri) ? new URL(uri) : null
  if (address === null || uri.includes('#') || address.username !== '' || address.password !== '')
    return 'must be an absolute address without a fragment and without a user'
  if (address.protocol === 'https:') return null
  if (!loopback.test(uri)) return 'must begin with https://, or with http:// and a loopback address'
  return applicationType === 'native'
    ? null
    : 'must begin with https://: only a native client may use a loopback address'
}

/** Exact, but for the port of a loopback address: a program on the person's machine takes a free one (RFC 8252). */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.some((one) => one === uri || (loopback.test(one) && withoutPort(one) === withoutPort(uri)))

const withoutPort = (uri: string): string => uri.replace(loopback, (origin) => origin.replace(/:\d+$/, ''))
