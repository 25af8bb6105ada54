import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../../../model/log.ts'
import { DatabaseUnreachableError, type Gate } from './gate.ts'
import { openSession, type Session } from './session.ts'
import type { StrayConnections } from './stray-connections.ts'

/** Keeps one connection of its own to the server: to know that it is there, and what other processes do. */
export interface Watcher {
  /** Rejects while the server does not answer. Waits for no connection of the pool. */
  ping(): Promise<void>
  /** Units of a namespace were written here: other processes hear of it soon. When that is lost, only freshness is. */
  changed(namespaceId: string): void
  /** Calls with a namespace that another process has written to. */
  listen(onChange: (namespaceId: string) => void): void
  /** Runs `work` unless another process is at work under the same name right now; null then. */
  withClusterLock<T>(name: string, work: () => Promise<T>): Promise<T | null>
  close(): Promise<void>
}

/** A server that hangs is found out after this and a session's timeout. */
const everyMs = 750
const whileDownMs = 500
/**
 * In one statement for all writes of that time. NOTIFY inside the transactions makes their commits wait for each other:
 * of sixteen writers' transactions per second it left a third.
 */
const announceMs = 50
const channel = 'unit_changes'
const notify = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'

/** A transaction is idle for a moment between any two statements; and where the server does not tell, it is believed. */
const atWork = `
  SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)
    AND NOT (coalesce(state, '') LIKE 'idle%' AND clock_timestamp() - state_change > '2s'::interval)`

/** Resolves once the server has answered; rejects when it does not. */
export async function startWatcher(url: string, gate: Gate, log: Log, strays: StrayConnections): Promise<Watcher> {
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
      // Perhaps only this connection broke: asking again will tell.
      lost: () => wake.abort(),
    })
  let session = await open().catch((err) => {
    throw isAnswer(err) ? err : new DatabaseUnreachableError(err)
  })

  const check = async () => {
    if (await leads(session)) return
    // A connection that is gone says nothing of the server.
    session = await open()
    if (!(await leads(session))) throw new Error('the connection broke')
  }

  const cutStrays = async () => {
    const lost = await strays.cut(async (pids) =>
      (await session.ask<{ pid: number }>(atWork, [pids])).map(({ pid }) => pid),
    )
    if (lost > 0) log.warn({ lost }, 'connections to the database were lost on their way')
  }

  const decide = async () => {
    try {
      await check()
      if (gate.down) log.warn({}, 'the database answers again')
      gate.open()
      await cutStrays()
    } catch (err) {
      session.hangUp()
      if (closing.signal.aborted) return
      if (isAnswer(err)) return gate.open()
      if (!gate.down) log.error({ err }, 'the database does not answer')
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
    await session.ask(notify, [channel, payloads]).catch(() => {})
  }

  return {
    ping: async () => {
      if (!gate.down) await round()
      if (gate.down) throw gate.down
    },
    changed: (namespaceId) => {
      changed.add(namespaceId)
      announcing ??= setTimeout(announce, announceMs).unref()
    },
    listen: (heard) => {
      onChange = heard
    },
    withClusterLock: async (name, work) => {
      const holding = session
      // Without sessions of the server there are no locks of theirs: everybody may work, which is only a waste.
      if (holding.isPooled) return work()
      const lock = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held'
      const [answer] = await holding.ask<{ held: boolean }>(lock, [name])
      if (!answer?.held) return null
      // It goes with the session, should that end first.
      return work().finally(() =>
        holding.ask('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => {}),
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

/** False for a session that is gone; throws for a server that does not answer, or that follows another one. */
async function leads(session: Session): Promise<boolean> {
  if (session.isLost) return false
  try {
    const [server] = await session.ask<{ follows: boolean }>('SELECT pg_is_in_recovery() AS follows')
    if (server?.follows) throw new Error('the server only follows another one')
    return true
  } catch (error) {
    if (session.isLost) return false
    throw error
  }
}

/**
 * The server itself said so (no room, a changed password): it is there, and other connections may well work. Not so when
 * it says that it stops or starts (57P01 to 57P03), or that a pooler has lost it (class 08).
 */
const isAnswer = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code !== undefined && !/^(57P0[123]|08)/.test(error.code)
