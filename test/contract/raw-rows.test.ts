import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCatalog, type PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import type { Db } from '../../src/adapters/catalog/database/db.ts'
import type { Prisma } from '../../src/adapters/catalog/generated/client.ts'
import {
  createAccessReader,
  membershipColumns,
  membershipSql,
  namespaceSql,
  targetColumns,
} from '../../src/adapters/catalog/sql/access.ts'
import { createAuditReader } from '../../src/adapters/catalog/sql/audit.ts'
import { createAuditTree } from '../../src/adapters/catalog/sql/audit-tree.ts'
import { createBillingStore, createBillingWriter } from '../../src/adapters/catalog/sql/billing.ts'
import { createDocReader } from '../../src/adapters/catalog/sql/docs.ts'
import { createHeads, lockHead } from '../../src/adapters/catalog/sql/head.ts'
import { createChangeReader } from '../../src/adapters/catalog/sql/index-changes.ts'
import { createIndexCursors } from '../../src/adapters/catalog/sql/index-cursors.ts'
import { createModelChangeReader } from '../../src/adapters/catalog/sql/plane-models.ts'
import { readWithProof } from '../../src/adapters/catalog/sql/proof.ts'
import { createClaims } from '../../src/adapters/catalog/sql/provisioner.ts'
import { createUnitReader, readLongTexts } from '../../src/adapters/catalog/sql/read-units.ts'
import { declaredColumns } from '../../src/adapters/catalog/sql/select.ts'
import { createTransferWriter, readTables } from '../../src/adapters/catalog/sql/transfer.ts'
import { transferTables } from '../../src/adapters/catalog/sql/transfer-tables.ts'
import { createUsageStore } from '../../src/adapters/catalog/sql/usage.ts'
import { createWriter } from '../../src/adapters/catalog/sql/writer.ts'
import { filtersInput } from '../../src/domain/input/filters.ts'
import { facetColumns } from '../../src/model/doc.ts'
import { createStorage, type TestStorage } from '../support/database/database.ts'

/** PostgreSQL types by OID (pg_type.dat). */
const types: Record<number, string> = {
  16: 'boolean',
  17: 'bytea',
  20: 'bigint',
  23: 'integer',
  25: 'text',
  114: 'json',
  701: 'double precision',
  1009: 'text[]',
  3802: 'jsonb',
}

const root = new URL('../../', import.meta.url)
let described: PGlite
let migrated: TestStorage
let storage: TestStorage
let catalog: PrismaCatalog
beforeAll(async () => {
  migrated = await createStorage({ embedded: true })
  described = await PGlite.create(join(migrated.dataDir, 'catalog'))
  storage = await createStorage()
  catalog = await openCatalog(storage.catalog, { info: () => {}, warn: () => {}, error: () => {} })
  await catalog.provision((tx) => tx.ensureNamespace({ id, name: 'one', tier: 'free', createdAt: 1 }).then(() => {}))
})
afterAll(async () => {
  await catalog.close()
  await storage.remove()
  await described.close()
  await migrated.remove()
})

const id = 'ns_1'
const visibility = { namespaceId: id, clauses: [{ reader: 'unlimited', scopeIds: ['s'] }], planes: ['text'] } as const
const selection = { clauses: visibility.clauses, planes: visibility.planes, states: ['live'] } as const
const everyFilter = filtersInput.parse({
  ...{ modality: ['text' as const], docId: ['d'], externalId: ['e'], sourceUri: ['s'], mime: ['m'], aclOwner: ['p'] },
  ...{ createdAfter: 1, createdBefore: 2, timeRange: { tStartMs: 0, tEndMs: 1 } },
  ...{
    createdAt: [1, 2],
    plane: 'text',
    updatedAt: { gt: 1 },
    not: { or: [{ docId: null }, { docId: { prefix: 'd' } }] },
  },
  metadata: {
    a: 1,
    b: ['x', 'y'],
    'c.d': { gte: 1, lte: 2 },
    e: { gt: 'x', prefix: 'y', contains: 'z', exists: true },
  },
})
const version = {
  id: 'v',
  objectId: 'o',
  customer: 'c',
  paymentIntent: 'i',
  principalId: 'p',
  at: 0,
  source: 'event',
  rank: 0,
  facts: { kind: 'dispute', status: '' },
} as const
const change = { namespaceId: id, plane: 'text', from: 'a', target: 'b' } as const

/** Pages of one row, so that a table with two of them is read with a key, too. */
const paged = transferTables.map((table) => ({ ...table, page: 1 }))

/** Describes and then runs every statement once, on an empty database. */
async function runAll(db: Db): Promise<void> {
  const namespace = { id, name: 'one', tier: 'free' } as const
  const units = createUnitReader(db)
  await units.get(visibility, 'u')
  await units.getOwn(visibility, 'p', 'e')
  await units.list(visibility, everyFilter, 0, 10)
  await units.countHidden(visibility)
  await units.countHiddenAmong(visibility, ['u'])
  await units.searchFacts(visibility)
  await units.factsSince(visibility, 0)
  await units.changedSince(id, 0)
  await readLongTexts(db, id, [{ unit_id: 'u', seq: 1, text_bytes: 100_000 }])
  const docs = createDocReader(db)
  await docs.list(visibility, { prefix: 'd', filters: everyFilter }, { cursor: 0, limit: 10 })
  await docs.get(visibility, 'd')
  await docs.sections(visibility, 'd')
  await docs.near(visibility, { unitId: 'u', docId: 'd', plane: 'text' }, { before: 1, after: 1 })
  const fields = [...facetColumns, 'metadata.a'] as const
  await docs.facets(visibility, { fields, filters: everyFilter, planes: ['text'], limit: 10 })
  const changes = createChangeReader(db)
  await changes.after(id, 0, 10)
  await changes.readersAfter(id, 0, 10)
  await changes.manifest(id, 'text')
  await changes.pending(id, 0)
  await changes.unembedded(10)
  await changes.unerased(id, [])
  const models = createModelChangeReader(db)
  await models.planes('text', 'b')
  await models.outdated(change, '', 10)
  await models.superseded(change, 10)
  await models.progress(id, 'text', 'b', 0)
  const cursors = createIndexCursors(db)
  await cursors.claim(id, 'x', 'h', { ttlMs: 1, settleMs: 1 })
  await cursors.behind('x', 10)
  await createUsageStore(db).storage(id)
  await units.load(id, ['u'])
  await createAccessReader(db).membership('p', undefined, 0)
  const entering = { principalId: 'p', namespace: undefined, now: 0, tokenHash: 'h' }
  await readWithProof(db, membershipColumns, membershipSql(entering), { namespaceId: id, seq: 0 })
  await readWithProof(db, targetColumns, namespaceSql('one'), undefined)
  const audit = createAuditReader(db)
  await audit.page(namespace, 'all', { cursor: 0, limit: 10 }, {})
  await audit.page(namespace, 'all', { cursor: 0, limit: 10 }, { action: 'units.get', after: 1, before: 2 })
  await audit.row(namespace, 'all', 1)
  await audit.deletion(namespace, 'all', 1)
  await audit.end(id)
  await audit.lines(namespace, 0, 10)
  await audit.between(namespace, 0, 10, 10)
  const tree = createAuditTree(db)
  await tree.nodesOver(id, 0, 10)
  await tree.strayNode(id)
  await tree.nodes(id, [{ level: 8, index: 0 }])
  await tree.signed()
  await tree.grown()
  const billing = createBillingStore(db)
  await billing.versionsOf('p')
  await billing.takeQuestions(0, 10)
  await billing.payers('', 10)
  const heads = createHeads(db)
  const billed = createBillingWriter(db, heads)
  await billed.payerOf(version)
  await billed.paidFor(id)
  await createClaims(db, heads).countRegistered(id, 'other')
  const writer = createWriter(db, await lockHead(db, id))
  await writer.scopes.hasGrantBelow('a', 0)
  await writer.scopes.unsweptUnits(10, 0)
  await writer.liveDocuments()
  await writer.fixDims('text', 'b', 4)
  await writer.modelChange.remove('text', 'b', ['u'])
  await writer.modelChange.embed('text', 'b', [{ unitId: 'u', seq: 1, values: null }])
  await writer.units.select(selection, 10)
  await writer.units.resolve({ ...selection, ids: ['u'] }, 'p')
  await writer.units.read(selection, 10)
  await writer.units.findExternal('p', ['e'])
  await writer.units.replaced(['u'], selection)
  await writer.units.writersOf(['d'])
  await writer.units.purge(['u'], 1)
  const transfer = createTransferWriter(db, [id])
  for (const { name } of transferTables) await transfer.insert(name, [])
  await transfer.settle()
  for (const whose of [id, null]) await readTables(db, whose, async () => {}, paged)
}

it('what raw statements are declared to select is what PostgreSQL says of them', async () => {
  const problems: string[] = []
  const seen = new Set<string>()
  await catalog.client.$transaction(async (db) => {
    const describing = new Proxy(db, {
      get: (target, name, receiver) =>
        name !== '$queryRaw'
          ? Reflect.get(target, name, receiver)
          : async (statement: Prisma.Sql) => {
              const columns = declaredColumns.get(statement)
              const { resultFields } = await described.describeQuery(statement.text)
              const found = resultFields.map(({ name, dataTypeID }) => `${name} ${types[dataTypeID] ?? dataTypeID}`)
              const declared = Object.entries(columns ?? {}).map(([column, { type }]) => `${column} ${type}`)
              if (`${found.toSorted()}` !== `${declared.toSorted()}`) {
                problems.push(`${statement.text}\n selects  ${found.toSorted()}\n declared ${declared.toSorted()}`)
              }
              seen.add(statement.text)
              return target.$queryRaw(statement)
            },
    })
    await runAll(describing)
  })
  expect(problems).toEqual([])
  expect(seen.size).toBeGreaterThan(45)
})

it('rows of raw statements are read with declared columns only', async () => {
  const folder = new URL('src/adapters/catalog/', root)
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('generated'),
  )
  const undeclared: string[] = []
  for (const file of files) {
    if (/\$queryRaw|RawUnsafe/.test(await readFile(new URL(file, folder), 'utf8'))) undeclared.push(file)
  }
  expect(undeclared).toEqual(['sql/select.ts'])
})
