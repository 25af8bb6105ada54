import { createHmac, timingSafeEqual } from 'node:crypto'
import { RefusalError } from './refusal.ts'

export interface LocalKey {
  uid: string
  key: string
  name: string | null
  actions: string[]
  indexes: string[]
  expiresAt: string | null
}

/**
 * A request's rights, from its Authorization header. `ruleFor`: null without a rule, throws if search is not allowed.
 */
export interface Bearer {
  isAdmin: boolean
  ruleFor(indexUid: string): string | null
}

const invalid = () => new RefusalError(403, 'invalid_api_key', 'The provided API key is invalid.')

export function bearerOf(
  authorization: string | undefined,
  adminKey: string,
  keys: ReadonlyMap<string, LocalKey>,
): Bearer {
  if (authorization === undefined) throw new RefusalError(401, 'missing_authorization_header')
  const token = authorization.replace(/^Bearer /, '')
  if (token === adminKey) return { isAdmin: true, ruleFor: () => null }
  const key = [...keys.values()].find((one) => one.key === token)
  const claims = key === undefined ? tenantClaims(token, keys) : null
  if (key === undefined && claims === null) throw invalid()
  return {
    isAdmin: false,
    ruleFor: (indexUid) => {
      if (key !== undefined && !mayOpen(key, indexUid)) throw invalid()
      return claims === null ? null : ruleOf(claims, indexUid)
    },
  }
}

const mayOpen = ({ actions, indexes }: LocalKey, indexUid: string) =>
  actions.includes('search') && (indexes.includes('*') || indexes.includes(indexUid))

interface Claims {
  key: LocalKey
  searchRules: Record<string, { filter?: string } | null>
}

/** A tenant token: a JWT signed with a key. https://www.meilisearch.com/docs/learn/security/tenant_token_reference */
function tenantClaims(token: string, keys: ReadonlyMap<string, LocalKey>): Claims | null {
  const [header = '', payload = '', signature = ''] = token.split('.')
  try {
    const { alg, typ } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const { apiKeyUid, searchRules, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const key = keys.get(apiKeyUid)
    if (alg !== 'HS256' || typ !== 'JWT' || !key) return null
    const expected = createHmac('sha256', key.key).update(`${header}.${payload}`).digest()
    const given = Buffer.from(signature, 'base64url')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    if (exp !== undefined && exp * 1000 <= Date.now()) return null
    return { key, searchRules }
  } catch {
    return null
  }
}

function ruleOf({ key, searchRules }: Claims, indexUid: string): string | null {
  if (!mayOpen(key, indexUid) || !(indexUid in searchRules)) throw invalid()
  return searchRules[indexUid]?.filter ?? null
}
