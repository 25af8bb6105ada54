import { type Handler, splitTarget } from './message.ts'

/** The mount point of a handler: one exact path, or everything below a prefix that ends in `/`. */
export interface Mount {
  path: string
  /** The path as a template, for the log. Null when the handler sets it. Default: the path. */
  route?: string | null
  handler: Handler
}

/** Sends a request to the first mount that matches its raw path, else to `fallback`. */
export function createRouter(mounts: readonly Mount[], fallback: Handler): Handler {
  return (request) => {
    const { path } = splitTarget(request.target)
    const mount = mounts.find((m) => (m.path.endsWith('/') ? path.startsWith(m.path) : path === m.path))
    if (mount === undefined) return fallback(request)
    request.record.route = mount.route === undefined ? mount.path : mount.route
    return mount.handler(request)
  }
}
