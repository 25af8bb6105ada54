import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../../ports/log.ts'
import { DatabaseUnreachable, type Gate } from './gate.ts'
import { within } from './patience.ts'
import type { StrayConnections } from './stray-connections.ts'

/** Keeps one connection of its own to the server: to know that it is there, and what other processes wrote. */
export interface Watcher {
  /** Rejects while the server does not answer. Waits for no connection of the pool. */
  ping(): Promise<void>
  /** Units of a namespace were written here: other processes hear of it soon, or, when that is lost, at its next write. */
  changed(namespaceId: string): void
  /** Calls with a namespace that another process has written to. */
  listen(onChange: (namespaceId: string) => void): void
  close(): Promise<void>
}

/** From the moment that the server hangs until its connections are cut: at most both together. */
const everyMs = 750
const patienceMs = 1500
const whileDownMs = 500
/** In one statement for all writes of that time: NOTIFY inside the transactions would make their commits queue up. */
const announceMs = 50
const channel = 'unit_changes'
const notify = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'

/** Resolves once the server has answered; rejects when it does not. */
export async function startWatcher(url: string, gate: Gate, log: Log, strays: StrayConnections): Promise<Watcher> {
  const self = randomUUID()
  const closing = new AbortController()
  let client: pg.Client | null = null
  let onChange: (namespaceId: string) => void = () => {}
  let wake = new AbortController()
  const changed = new Set<string>()
  let announcing: NodeJS.Timeout | undefined

  const connect = async (): Promise<pg.Client> => {
    const made = new pg.Client({ connectionString: url, connectionTimeoutMillis: patienceMs, keepAlive: true })
    const lost = () => {
      if (client !== made) return
      client = null
      // Perhaps only this connection broke: asking again will tell.
      wake.abort()
    }
    made.on('error', lost)
    made.on('end', lost)
    made.on('notification', ({ payload = '' }) => {
      const [from, namespaceId] = payload.split(' ')
      if (from !== self && namespaceId !== undefined) onChange(namespaceId)
    })
    try {
      await within(patienceMs, made.connect())
      await within(patienceMs, made.query(`LISTEN ${channel}`))
      return made
    } catch (error) {
      hangUp(made)
      throw error
    }
  }

  let before: Promise<unknown> = Promise.resolve()
  /** One after another, as the library wants it. */
  const ask = <Row extends object>(on: pg.Client, sql: string, values: unknown[] = []) => {
    const answer = before.catch(() => {}).then(() => on.query<Row>(sql, values))
    before = answer
    return within(patienceMs, answer)
  }
  const working = async (pids: readonly number[]): Promise<number[]> => {
    if (!client) return [...pids]
    const active = `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state = 'active'`
    return (await ask<{ pid: number }>(client, active, [pids])).rows.map(({ pid }) => pid)
  }
  const isLeader = async (on: pg.Client) => {
    const { rows } = await ask<{ follows: boolean }>(on, 'SELECT pg_is_in_recovery() AS follows')
    if (rows[0]?.follows) throw new Error('the server only follows another one')
  }

  const check = async () => {
    const known = client
    if (known) {
      const broken = await isLeader(known).then(
        () => false,
        (error: unknown) => {
          // A connection that is gone says nothing of the server; one that hangs does.
          if (client === known) throw error
          return true
        },
      )
      if (!broken) return
    }
    client = await connect()
    await isLeader(client)
  }

  const decide = async () => {
    try {
      await check()
      if (gate.down) log.warn({}, 'the database answers again')
      gate.open()
      const lost = await strays.cut(working)
      if (lost > 0) log.warn({ lost }, 'connections to the database were lost on their way')
    } catch (err) {
      if (client) hangUp(client)
      client = null
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
  client = await connect().catch((err) => {
    throw isAnswer(err) ? err : new DatabaseUnreachable(err)
  })
  const watching = watch()

  const announce = async () => {
    announcing = undefined
    const payloads = [...changed].map((namespaceId) => `${self} ${namespaceId}`)
    changed.clear()
    // Lost, it costs freshness alone.
    if (client) await ask(client, notify, [channel, payloads]).catch(() => {})
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
    close: async () => {
      clearTimeout(announcing)
      if (changed.size > 0) await announce()
      closing.abort()
      await watching
      // A server that hangs is not waited for.
      if (client) await within(patienceMs, client.end()).catch(() => {})
    },
  }
}

/** Its socket with it: a server that hangs would not take leave either. */
function hangUp(client: pg.Client): void {
  client.connection.stream.destroy()
}

/**
 * The server itself said so (no room, a changed password): it is there, and other connections may well work. Not so when
 * it says that it stops or starts (57P01 to 57P03), or that a pooler has lost it (class 08).
 */
const isAnswer = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code !== undefined && !/^(57P0[123]|08)/.test(error.code)
