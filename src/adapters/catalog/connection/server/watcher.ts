import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../../../model/log.ts'
import { bool, integer } from '../../database/columns.ts'
import { DatabaseUnreachableError, type Gate } from './gate.ts'
import { openSession, type Session } from './session.ts'
import type { StrayConnections } from './stray-connections.ts'

export type Watcher = Awaited<ReturnType<typeof startWatcher>>

/** A server that hangs is detected after this and a session's timeout. */
const everyMs = 750
const whileDownMs = 500
/**
 * One statement announces all writes of this period. NOTIFY inside the transactions makes their commits wait for each
 * other: with sixteen writers it cut throughput to a third.
 */
const announceMs = 50
const channel = 'unit_changes'
const notify = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'

/**
 * A transaction is idle for a moment between two statements. If the server does not report a state, the backend counts
 * as at work.
 */
const atWork = `
  SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)
    AND NOT (coalesce(state, '') LIKE 'idle%' AND clock_timestamp() - state_change > '2s'::interval)`

/**
 * Keeps its own connection to the server, to know that the server answers and what other processes do. Resolves when the
 * server has answered; rejects when it does not.
 */
export async function startWatcher(url: string, gate: Gate, log: Log, strays: StrayConnections) {
  const self = randomUUID()
  const closing = new AbortController()
  let wake = new AbortController()
  let onChange: (namespaceId: string) => void = () => {}
  const changed = new Set<string>()
  let announcing: NodeJS.Timeout | undefined

  const open = () =>
    openSession(url, {
      channel,
      heard: (payload) => {
        const [from, namespaceId] = payload.split(' ')
        if (from !== self && namespaceId !== undefined) onChange(namespaceId)
      },
      // Perhaps only this connection broke: the next check shows it.
      lost: () => wake.abort(),
    })
  let session = await open().catch((err) => {
    throw isAnswer(err) ? err : new DatabaseUnreachableError(err)
  })

  const check = async () => {
    if (await leads(session)) return
    // A lost connection says nothing about the server.
    session = await open()
    if (!(await leads(session))) throw new Error('the connection broke')
  }

  const cutStrays = async () => {
    const lost = await strays.cut(async (pids) =>
      (await session.ask({ pid: integer }, atWork, [pids])).map(({ pid }) => pid),
    )
    if (lost > 0) log.warn({ lost }, 'connections to the database were lost')
  }

  const decide = async () => {
    try {
      await check()
      if (gate.down) log.warn({}, 'the database responds again')
      gate.open()
      await cutStrays()
    } catch (err) {
      session.hangUp()
      if (closing.signal.aborted) return
      if (isAnswer(err)) return gate.open()
      if (!gate.down) log.error({ err }, 'the database does not respond')
      gate.shut(err instanceof Error ? err : new Error(String(err)))
    }
  }
  let deciding: Promise<void> | null = null
  const round = () => {
    deciding ??= decide().finally(() => {
      deciding = null
    })
    return deciding
  }

  const watch = async () => {
    while (!closing.signal.aborted) {
      wake = new AbortController()
      await round()
      const either = AbortSignal.any([wake.signal, closing.signal])
      await sleep(gate.down ? whileDownMs : everyMs, undefined, { signal: either, ref: false }).catch(() => {})
    }
  }
  const watching = watch()

  const announce = async () => {
    announcing = undefined
    const payloads = [...changed].map((namespaceId) => `${self} ${namespaceId}`)
    changed.clear()
    await session.ask({}, notify, [channel, payloads]).catch(() => {})
  }

  return {
    /** Rejects while the server does not answer. Does not wait for a connection of the pool. */
    ping: async () => {
      if (!gate.down) await round()
      if (gate.down) throw gate.down
    },
    /** A pooler is in between: connections do not keep a session of the server. */
    isPooled: () => session.isPooled,
    /** This process wrote Units of a namespace: tells other processes soon. A lost message only reduces freshness. */
    changed: (namespaceId: string) => {
      changed.add(namespaceId)
      announcing ??= setTimeout(announce, announceMs).unref()
    },
    /** Calls with a namespace that another process has written to. */
    listen: (heard: (namespaceId: string) => void) => {
      onChange = heard
    },
    /** Runs `work` unless another process is at work under the same name right now; then returns null. */
    withClusterLock: async <T>(name: string, work: () => Promise<T>): Promise<T | null> => {
      const holding = session
      // Without sessions of the server there are no session locks: every process works, which only wastes effort.
      if (holding.isPooled) return work()
      const lock = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held'
      const [answer] = await holding.ask({ held: bool }, lock, [name])
      if (!answer?.held) return null
      // The lock also ends with the session.
      return work().finally(() =>
        holding.ask({}, 'SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => {}),
      )
    },
    close: async () => {
      clearTimeout(announcing)
      if (changed.size > 0) await announce()
      closing.abort()
      await watching
      await session.end()
    },
  }
}

/** False for a session that is lost; throws for a server that does not answer, or that is a standby. */
async function leads(session: Session): Promise<boolean> {
  if (session.isLost) return false
  try {
    const [server] = await session.ask({ follows: bool }, 'SELECT pg_is_in_recovery() AS follows')
    if (server?.follows) throw new Error('the server only follows another one')
    return true
  } catch (error) {
    // It ended during the query. A new session tells whether the server stops.
    if (session.isLost || (error instanceof pg.DatabaseError && error.code === '57P01')) return false
    throw error
  }
}

/**
 * An error from the server itself (no room, a changed password): it answers, and other connections may work. Except
 * when it stops or starts (57P01 to 57P03), or when a pooler has lost it (class 08).
 */
const isAnswer = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code !== undefined && !/^(57P0[123]|08)/.test(error.code)
