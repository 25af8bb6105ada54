/** Where an API may be that some servers have beside their `/v1` and some below it. */
export function addressesOf(baseUrl: string, path: string): string[] {
  const beside = baseUrl.replace(/\/v\d+$/u, '')
  return [...new Set([baseUrl, beside])].map((address) => `${address}${path}`)
}
