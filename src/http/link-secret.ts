import { type HttpRequest, splitTarget } from './message.ts'

/** The secret in a link `<root><32 base62>`. Undefined for other paths, and for other methods than the link's own. */
export function linkSecret({ method, target }: HttpRequest, own: string, root: string): string | undefined {
  const { path } = splitTarget(target)
  const secret = path.startsWith(root) ? path.slice(root.length) : ''
  return method === own && /^[0-9A-Za-z]{32}$/.test(secret) ? secret : undefined
}
