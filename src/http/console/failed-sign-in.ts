import { names } from '../accept.ts'
import { type Handler, type HttpRequest, type HttpResponse, splitTarget } from '../message.ts'
import { withRequestId } from '../request-id.ts'
import type { ConsoleOptions } from './console.ts'
import { guardHeaders } from './guard.ts'

/** Where the sign-in leads when it failed and does not know where it was begun, as when it took too long. */
const failurePath = '/api/auth/error'

/** Leads a browser from there to the sign-in page, which says why; `next` answers everything else. */
export function withFailedSignIn(next: Handler, { build, https }: ConsoleOptions): Handler {
  const guard = guardHeaders({ https })
  const redirect = withRequestId(async (request) => toSignIn(request, guard))
  return (request) => {
    const { method, target, headers, record } = request
    const isFailure = method === 'GET' && splitTarget(target).path === failurePath
    if (build === null || !isFailure || !names(headers.accept, 'text/html')) return next(request)
    record.route = failurePath
    return redirect(request)
  }
}

/** The address may be a stranger's: of what it says only a code is passed on. */
function toSignIn({ target }: HttpRequest, guard: Record<string, string>): HttpResponse {
  const code = new URLSearchParams(splitTarget(target).query).get('error') ?? ''
  const location = `/welcome?error=${/^\w{1,64}$/.test(code) ? code : 'unknown'}`
  return { status: 303, headers: { ...guard, location, 'cache-control': 'no-store', vary: 'Accept' }, body: '' }
}
