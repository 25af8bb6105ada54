import pg from 'pg'
import { within } from '../../../../async/limits.ts'
import { type Columns, integer, type Row, rowsOf } from '../../database/columns.ts'

/** How long a server may take for a simple answer or to accept a connection. */
const timeoutMs = 1500

/** One open connection for short statements, one after another. */
export interface Session {
  /** The connection ended. */
  readonly isLost: boolean
  /** A pooler is in between and may send each statement to another session of the server. */
  readonly isPooled: boolean
  /** The rows of a statement, read by these columns; rejects when the server takes too long. */
  ask<C extends Columns>(columns: C, sql: string, values?: readonly unknown[]): Promise<Row<C>[]>
  /** Closes the connection at once; pending statements fail. A server that hangs would not answer a proper close. */
  hangUp(): void
  /** Closes it properly. */
  end(): Promise<void>
}

interface SessionEvents {
  channel: string
  /** A message arrived on the channel. */
  heard(payload: string): void
  lost(): void
}

/** Connects and listens. Rejects when that takes too long. */
export async function openSession(url: string, { channel, heard, lost }: SessionEvents): Promise<Session> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, keepAlive: true })
  let isLost = false
  let before: Promise<unknown> = Promise.resolve()
  const lose = () => {
    if (isLost) return
    isLost = true
    lost()
  }
  client.on('error', lose)
  client.on('end', lose)
  client.on('notification', ({ payload }) => {
    if (payload !== undefined) heard(payload)
  })
  const ask: Session['ask'] = async (columns, sql, values = []) => {
    // The library wants one statement at a time.
    const answer = before.catch(() => {}).then(() => rowsOf(client, columns, sql, values))
    before = answer
    return within(timeoutMs, answer)
  }
  const hangUp = () => {
    client.connection.stream.destroy()
  }
  try {
    await within(timeoutMs, client.connect())
    const [own] = await ask({ backend: integer }, 'SELECT pg_backend_pid() AS backend')
    await ask({}, `LISTEN ${channel}`)
    return {
      get isLost() {
        return isLost
      },
      isPooled: isPooled(client, own?.backend),
      ask,
      hangUp,
      end: () => within(timeoutMs, client.end()).catch(hangUp),
    }
  } catch (error) {
    hangUp()
    throw error
  }
}

/** A pooler reports process ids of its own. */
export const isPooled = (client: pg.ClientBase, backend: number | undefined): boolean =>
  !('processID' in client) || client.processID !== backend
