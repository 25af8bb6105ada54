import { z } from 'zod'

export type KeyValueConfig = { kind: 'memory' } | { kind: 'redis'; url: string }

/** Where replicas keep what they share for a short time. */
export const redisSettings = {
  REDIS_URL: z
    .string()
    .refine(isAddress, 'must be redis[s]://[[user]:password@]host[:port][/database number]')
    .optional()
    .describe(
      'Redis that replicas share revocations and counts of sign-ins through, instead of keeping them in memory; rediss:// is over TLS',
    ),
}

export function keyValueConfig({ REDIS_URL: url }: { REDIS_URL?: string | undefined }): KeyValueConfig {
  return url === undefined ? { kind: 'memory' } : { kind: 'redis', url }
}

/** What the client would only find out when it connects. */
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
