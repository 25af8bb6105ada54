/** Where to go after signing in: a path of ours, nothing else. */
export function nextPath(next: string | undefined): string {
  const url = URL.parse(next ?? '', location.origin)
  const isOurs = next?.startsWith('/') && url?.origin === location.origin
  return isOurs && url.pathname !== '/welcome' ? `${url.pathname}${url.search}${url.hash}` : '/search'
}
