/** The possible addresses of an API that some servers have next to their `/v1` and some below it. */
export function addressesOf(baseUrl: string, path: string): string[] {
  const beside = baseUrl.replace(/\/v\d+$/u, '')
  return [...new Set([baseUrl, beside])].map((address) => `${address}${path}`)
}
