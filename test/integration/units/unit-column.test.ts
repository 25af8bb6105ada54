import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCatalog, type PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { orNull, text } from '../../../src/adapters/catalog/database/columns.ts'
import { flushHead, lockHead } from '../../../src/adapters/catalog/sql/head.ts'
import { createChangeReader } from '../../../src/adapters/catalog/sql/index-changes.ts'
import { createUnitReader } from '../../../src/adapters/catalog/sql/read-units.ts'
import { createTransferWriter, readTables } from '../../../src/adapters/catalog/sql/transfer.ts'
import { unitTransfer } from '../../../src/adapters/catalog/sql/transfer-tables.ts'
import { unitColumn, unitTable } from '../../../src/adapters/catalog/sql/unit-columns.ts'
import { createWriter } from '../../../src/adapters/catalog/sql/writer.ts'
import type { NamespaceWriter, UnitRow } from '../../../src/ports/catalog.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'

/** The changes of the recipe in CONTRIBUTING: a database column, and a line in the table of columns. */
const addColumn = 'ALTER TABLE unit ADD COLUMN dialect text'
const table = [...unitTable, unitColumn('dialect', orNull(text), { field: 'dialect', purged: 'NULL' })]

const log = { info: () => {}, warn: () => {}, error: () => {} }
const namespaceId = 'ns_1'
const scope = { id: 'sc_1', scope: 'a', parent: null, planes: ['text'], readOnlyAgents: false, createdAt: 1 } as const
const visibility = { namespaceId, clauses: [{ reader: 'unlimited', scopeIds: ['sc_1'] }], planes: ['text'] } as const

let storage: TestStorage
let catalog: PrismaCatalog
beforeAll(async () => {
  storage = await createStorage()
  catalog = await openCatalog(storage.catalog, log)
  await catalog.client.$executeRawUnsafe(addColumn)
  await catalog.provision(async (provisioner) => {
    await provisioner.ensureNamespace({ id: namespaceId, name: 'one', tier: 'free', createdAt: 1 })
  })
  await transact((writer) => writer.scopes.insert(scope))
})
afterAll(async () => {
  await catalog.close()
  await storage.remove()
})

const transact = <T>(work: (writer: NamespaceWriter) => Promise<T>): Promise<T> =>
  catalog.client.$transaction(async (db) => {
    const head = await lockHead(db, namespaceId)
    const result = await work(createWriter(db, head, table))
    await flushHead(db, head)
    return result
  })

const unit = (unitId: string, dialect: string | null, isNew = true) => {
  const row: UnitRow & { dialect: string | null } = {
    unitId,
    isNew,
    scopeId: 'sc_1',
    plane: 'text',
    modality: 'chunk',
    text: 'ein Text',
    title: null,
    language: null,
    sourceUri: null,
    sourceByWriter: true,
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 1, end: 2 },
    docId: null,
    externalId: unitId,
    writer: 'p_1',
    acl: { owner: 'p_1', groups: [] },
    metadata: { year: 2026 },
    contentHash: '',
    vector: null,
    embedPending: false,
    dialect,
  }
  return row
}

const read = (unitId: string) => createUnitReader(catalog.client, table).get(visibility, unitId)

async function exported(): Promise<string[]> {
  const lines: string[] = []
  const take = async (_: string, rows: readonly string[]) => void lines.push(...rows)
  await readTables(catalog.client, namespaceId, take, [unitTransfer(table)])
  return lines
}

it('a column in the table is put, replaced, read, fed to the indexes, exported, imported and purged', async () => {
  await transact((writer) => writer.units.put([unit('u_1', 'en'), unit('u_2', 'fr')], 1))
  expect(await read('u_1')).toMatchObject({ dialect: 'en', mime: 'text/plain', metadata: { year: 2026 } })

  await transact((writer) => writer.units.put([unit('u_1', 'de', false)], 2))
  expect(await read('u_1')).toMatchObject({ dialect: 'de', createdAt: 1, updatedAt: 2 })

  const changes = await createChangeReader(catalog.client, table).after(namespaceId, 0, 10)
  expect(changes.map(({ change }) => change)).toMatchObject([
    { kind: 'put', unit: { unitId: 'u_2', dialect: 'fr', mime: 'text/plain' } },
    { kind: 'put', unit: { unitId: 'u_1', dialect: 'de' } },
  ])

  const lines = await exported()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { unit_id: 'u_1', dialect: 'de', mime: 'text/plain' },
    { unit_id: 'u_2', dialect: 'fr' },
  ])
  await catalog.client.unit.deleteMany({ where: { namespaceId } })
  expect(await read('u_1')).toBeNull()
  const target = createTransferWriter(catalog.client, [namespaceId], [unitTransfer(table)])
  expect(await target.insert('unit', lines)).toBe(0)
  expect(await read('u_1')).toMatchObject({ dialect: 'de', createdAt: 1 })
  expect(await exported()).toEqual(lines)

  await transact((writer) => writer.units.purge(['u_1'], 3))
  const [purged] = (await exported()).map((line) => JSON.parse(line))
  expect(purged).toMatchObject({
    unit_id: 'u_1',
    state: 'purged',
    text: null,
    dialect: null,
    mime: null,
    metadata: {},
  })
})

it('the table has each column of the database, with its type', async () => {
  const columns = await catalog.client.$queryRawUnsafe<{ name: string; type: string }[]>(
    `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = 'unit'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname`,
  )
  const declared = table.map(({ name, type }) => ({ name, type: `${type}` }))
  expect(declared.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(columns)
})
