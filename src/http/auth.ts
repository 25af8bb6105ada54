import { withCors } from './cors.ts'
import { createSignInGuard } from './csrf.ts'
import { withFailures } from './failures.ts'
import { fromFetch } from './fetch.ts'
import { privateHeaders } from './json.ts'
import type { Log } from './log.ts'
import type { Handler } from './message.ts'
import { withRequestId } from './request-id.ts'

export interface AuthHandlerOptions {
  /** The sign-in endpoints; `remoteAddress` is the peer of the socket. */
  handle(request: Request, remoteAddress: string | undefined): Promise<Response>
  /** Names the session cookie. */
  brand: string
  log: Log
  allowedOrigins?: readonly string[]
}

/** Names, passwords and addresses are short. */
const bodyLimit = 64 * 1024

/** Mounts the sign-in endpoints; to be put at `/api/auth/`. */
export function createAuthHandler({ handle, brand, log, allowedOrigins = [] }: AuthHandlerOptions): Handler {
  const guard = createSignInGuard({ brand, allowedOrigins })
  const handler: Handler = async (request) => {
    guard(request)
    const serve = fromFetch((fetched) => handle(fetched, request.remoteAddress), bodyLimit)
    const response = await serve(request)
    return { ...response, headers: { ...response.headers, ...privateHeaders } }
  }
  return withRequestId(withCors(withFailures(handler, log), allowedOrigins))
}
