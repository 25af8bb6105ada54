import pg from 'pg'
import type { PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import {
  createMatrixWorld,
  type MatrixWorld,
  namespace as name,
} from '../../test/integration/access/permissions/world.ts'
import { createStorage, type TestStorage } from '../../test/support/database/database.ts'
import { addBilling } from '../../test/support/transfer/world.ts'
import { peaksOf } from './compare.ts'
import { addCopies, countRows, type Sql } from './fill.ts'
import { observeStatements } from './observe.ts'
import { runEverything, settle } from './operations.ts'

export interface GrowthWorld extends AsyncDisposable {
  world: MatrixWorld
  /** Rows of all tables. */
  rows(): Promise<number>
  /** Adds other tenants that hold the same as those of the world, until there are N copies of each. */
  grow(copies: number): Promise<void>
  /** Runs every operation, and returns what its statements touched. */
  measure(): Promise<ReturnType<typeof peaksOf>>
  /** Statements that could not be measured. */
  failures: ReadonlyMap<string, string>
  sql: Sql
}

/**
 * The service on a catalog of its own, without what it would remember of it, and with all work of the background due.
 * `seqscan: false` reads a table from its beginning only where no index could help. `sweeps: false` leaves out what walks
 * through everything on purpose, which takes long at large sizes.
 */
export async function createGrowthWorld({
  sweeps = true,
  ...options
}: {
  seqscan?: boolean
  sweeps?: boolean
} = {}): Promise<GrowthWorld> {
  const storage = await createStorage()
  const world = await createMatrixWorld({
    storage,
    config: {
      catalog: { ...storage.catalog, memoryBytes: 0 },
      sweeping: { everyMs: sweeps ? 0 : 86_400_000, unusedSourceMs: 86_400_000 },
      audit: { checkpointMs: sweeps ? 1 : 0 },
    },
  })
  await addBilling(world.app, 'admin')
  const { sql, close } = await connect(world, storage.catalog)
  const observer = observeStatements(options)
  let copied = 0
  return {
    world,
    sql: (text) => observer.without(() => sql(text)),
    failures: observer.failures,
    rows: () => observer.without(() => countRows(sql)),
    grow: async (copies) => {
      // What is under way would be copied as work that is due.
      await settle(world.app.runtime)
      await observer.without(() => addCopies(sql, copied + 1, copies))
      // A scope is erased a minute after it was deleted: those of the copies were deleted long ago.
      await observer.without(() => sql(`UPDATE scope SET erased_at = swept_at WHERE namespace_id LIKE '%~%'`))
      copied = copies
    },
    measure: async () => {
      observer.take()
      await runEverything(world, observer)
      return peaksOf(observer.take())
    },
    [Symbol.asyncDispose]: async () => {
      observer.stop()
      await close()
      await world.app.close()
    },
  }
}

/** Copies the Units of the world's own namespace until it has N more. They have no place in its log. */
export async function addOwnUnits({ sql }: GrowthWorld, units: number): Promise<void> {
  const [own] = await sql(
    `SELECT n.id, h.seq FROM namespace n JOIN head h ON h.namespace_id = n.id WHERE n.name = '${name}'`,
  )
  const columns = (await sql(`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = 'unit' ORDER BY ordinal_position`)) as { name: string }[]
  const number = `row_number() OVER () + ${own?.seq}`
  const changed: Record<string, string> = {
    unit_id: `unit_id || '+' || g`,
    external_id: `external_id || '+' || g`,
    doc_id: `doc_id || '+' || g`,
    seq: number,
    ordinal: number,
  }
  const values = columns.map((column) => changed[column.name] ?? `"${column.name}"`)
  await sql(`INSERT INTO unit SELECT ${values.join(', ')} FROM (SELECT * FROM unit
    WHERE namespace_id = '${own?.id}' AND state = 'live' ORDER BY seq LIMIT 100) o, generate_series(1, ${Math.ceil(units / 100)}) g`)
  await sql(
    `UPDATE head SET seq = (SELECT max(seq) FROM unit WHERE namespace_id = '${own?.id}') WHERE namespace_id = '${own?.id}'`,
  )
  await sql(`UPDATE unit_count c SET units = (SELECT count(*) FROM unit u WHERE u.namespace_id = c.namespace_id
    AND u.scope_id = c.scope_id AND u.acl_set_id = c.acl_set_id AND u.plane = c.plane AND u.state = 'live')
    WHERE namespace_id = '${own?.id}'`)
  await sql('ANALYZE unit')
}

/** A connection beside the service's; the embedded database has only that one. */
async function connect(
  { app }: MatrixWorld,
  config: TestStorage['catalog'],
): Promise<{ sql: Sql; close(): Promise<void> }> {
  if (config.kind === 'pglite') {
    const { client } = app.runtime.bindings.catalog as PrismaCatalog
    return { sql: (text) => client.$queryRawUnsafe(text), close: async () => {} }
  }
  const client = new pg.Client({ connectionString: config.url })
  await client.connect()
  return { sql: async (text) => (await client.query(text)).rows, close: () => client.end() }
}
