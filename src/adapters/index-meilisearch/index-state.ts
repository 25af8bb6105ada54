import { generateTenantToken } from 'meilisearch/token'
import { type Connection, failure } from './connection.ts'
import { namespaceCondition } from './document.ts'
import { findIndex, type SearchKey, setUp } from './setup.ts'

/** What this process knows about the index: whether it exists, which one it is, and the key for searching it. */
export interface IndexState {
  /** Distinguishes this index from another one of its name. Notices within some seconds that it was replaced. */
  identity(): Promise<string>
  /** Whether the index exists, or the engine has accepted the request and is still making it. */
  state(): Promise<'made' | 'making'>
  /** Throws unless the index is still the one that `identity` identified. */
  confirm(identity: string): Promise<void>
  /** A token that only allows searching one namespace, for some minutes. */
  searchToken(namespaceId: string): Promise<string>
  /** Something was wrong: check the index again. */
  invalidate(): void
}

interface Known {
  identity: string
  searchKey: SearchKey
  checkedAt: number
  tokens: Map<string, { token: string; renewAt: number }>
}

const recheckMs = 2000
/** How long a caller waits for the index to be made; making it continues. */
const timeoutMs = 2000
const tokenMs = { life: 15 * 60_000, renewal: 5 * 60_000 }
const maxTokens = 10_000

export function createIndexState(connection: Connection, now: () => number): IndexState {
  let known: Known | null = null
  let making: { done: Promise<Known>; until: number; accepted: Promise<void> } | null = null

  const begin = () => {
    const accepted = Promise.withResolvers<void>()
    const done = setUp(connection, accepted.resolve)
      .then((made) => {
        known = { ...made, checkedAt: now(), tokens: new Map() }
        return known
      })
      .finally(() => {
        making = null
      })
    return { done, until: performance.now() + timeoutMs, accepted: accepted.promise }
  }

  /** A request may call it several times: all calls wait no longer than the first one. */
  const made = async (): Promise<Known> => {
    making ??= begin()
    return within(making.done, making.until)
  }

  /** Runs in the background: the known state is used until then. */
  const recheck = async (before: Known) => {
    before.checkedAt = now()
    const identity = await findIndex(connection, connection.callMs.probe)
    if (identity !== before.identity && known === before) known = null
  }

  const current = async (): Promise<Known> => {
    if (known === null) return made()
    if (now() - known.checkedAt > recheckMs) recheck(known).catch(() => {})
    return known
  }

  return {
    identity: async () => (await current()).identity,
    state: async () => {
      const made = current().then(() => 'made' as const)
      return making === null ? made : Promise.race([made, making.accepted.then(() => 'making' as const)])
    },
    confirm: async (identity) => {
      if ((await findIndex(connection, connection.callMs.other)) === identity) return
      known = null
      throw failure('refused', 'has another index now')
    },
    invalidate: () => {
      known = null
    },
    searchToken: async (namespaceId) => {
      const { searchKey, tokens } = await current()
      const kept = tokens.get(namespaceId)
      if (kept !== undefined && now() < kept.renewAt) return kept.token
      const token = await generateTenantToken({
        apiKey: searchKey.key,
        apiKeyUid: searchKey.uid,
        searchRules: { [connection.index]: { filter: namespaceCondition(namespaceId) } },
        expiresAt: new Date(Date.now() + tokenMs.life),
      })
      if (tokens.size >= maxTokens) tokens.clear()
      tokens.set(namespaceId, { token, renewAt: now() + tokenMs.renewal })
      return token
    },
  }
}

async function within<T>(making: Promise<T>, until: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timeout = () => late.reject(failure('timeout', 'did not make the index in time'))
  const timer = setTimeout(timeout, Math.max(0, until - performance.now()))
  // It may fail after the timeout, when nothing handles the error.
  making.catch(() => {})
  try {
    return await Promise.race([making, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
