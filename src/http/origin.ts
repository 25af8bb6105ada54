import type { HttpRequest } from './message.ts'

/** The origin that a request came to. */
export const originOf = (host = 'localhost'): string => `http://${host}`

/** Where the service is reached: its public origin, else where the request came to. */
export const baseOf = ({ headers }: Pick<HttpRequest, 'headers'>, publicOrigin: string | null): string =>
  publicOrigin ?? originOf(headers.host)
