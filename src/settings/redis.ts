import { z } from 'zod'

export type KeyValueConfig = { kind: 'memory' } | { kind: 'redis'; url: string }

/** Where replicas store their short-lived shared state. */
export const redisSettings = {
  REDIS_URL: z
    .string()
    .refine(isAddress, 'must be redis[s]://[[user]:password@]host[:port][/database number]')
    .optional()
    .describe(
      'Address of a Redis server with which replicas share revoked tokens and counts of requests and sign-in attempts; rediss:// uses TLS. Default: the memory of each process',
    ),
}

export function keyValueConfig({ REDIS_URL: url }: { REDIS_URL?: string | undefined }): KeyValueConfig {
  return url === undefined ? { kind: 'memory' } : { kind: 'redis', url }
}

/** Finds errors that the client would only report when it connects. */
function isAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^rediss?:$/.test(url.protocol)) return false
  const { hostname, pathname, username, password } = url
  return hostname !== '' && /^\/?\d{0,5}$/.test(pathname) && [username, password].every(isDecodable)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
