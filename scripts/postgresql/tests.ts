import { globSync } from 'node:fs'
import { withServer } from './with-server.ts'

/**
 * The tests that a PostgreSQL server can answer otherwise than the embedded catalog: it has many connections at once, other
 * replicas, roles, a network, and a memory of its own that follows their writes. Everything else runs once, on the embedded
 * catalog: the SQL is the same.
 */
const serverTests = [
  // The wire, and what an application stores, with a pool of connections.
  'test/acceptance/wire*.test.ts',
  'test/integration/transfer/*.test.ts',
  'test/integration/transfer/round-trip.long.test.ts',
  // What is read back, in which order and form.
  'test/contract/migrate.test.ts',
  'test/contract/order-of-rows.test.ts',
  'test/contract/raw-rows.test.ts',
  'test/contract/schema-drift.test.ts',
  'test/contract/transfer-tables.test.ts',
  'test/property/any-characters.test.ts',
  // Transactions beside each other: chains, leases, claims, counters, caps.
  'test/contract/late-requests.test.ts',
  'test/contract/shared-feed*.test.ts',
  'test/integration/access/invitations.test.ts',
  'test/integration/access/ownership.test.ts',
  'test/integration/access/password-reset.test.ts',
  'test/integration/audit/audit-{chain,checkpoints,export,refusals,verify,verify-runs}.test.ts',
  'test/integration/billing/billing-ends.test.ts',
  'test/integration/billing/billing-reconcile.test.ts',
  'test/integration/billing/billing-webhook.test.ts',
  'test/integration/evaluation/evaluation.test.ts',
  'test/integration/indexing/batches-in-turn.test.ts',
  'test/integration/indexing/pending-deletions.test.ts',
  'test/integration/keys/api-keys-races.test.ts',
  'test/integration/registries/{operator,provisioning,registries,registries-races,registries-removal}.test.ts',
  'test/integration/units/own-dims.test.ts',
  'test/integration/units/quota-release.test.ts',
  'test/integration/wire/idempotency.test.ts',
  'test/property/billing-order.test.ts',
  'test/property/mutations.test.ts',
  // Its own memory: who may read what, and what is found.
  'test/integration/search/catalog-memory.test.ts',
  'test/integration/search/query-counts.test.ts',
  'test/integration/search/stale-index.test.ts',
  'test/integration/search/statements.test.ts',
  'test/integration/wire/after-seq*.test.ts',
  'test/property/catalog-memory.long.test.ts',
  'test/property/leak.test.ts',
  'test/property/non-interference.long.test.ts',
  'test/property/catalog-memory-mutants.long.test.ts',
  // Replicas, roles, outages and kills: without a server they are skipped.
  'test/durability/documents-replicas.long.test.ts',
  'test/durability/replicas-kill9.test.ts',
  'test/integration/access/owner-role.test.ts',
  'test/integration/process/catalog-growth.long.test.ts',
  'test/integration/process/newer-migration.long.test.ts',
  'test/integration/process/postgres-outages.long.test.ts',
  'test/integration/process/replicas*.test.ts',
  'test/integration/process/rolling-restart.long.test.ts',
  'test/integration/wire/request-limits.test.ts',
]

function listed(): string[] {
  for (const pattern of serverTests) if (globSync(pattern).length === 0) throw new Error(`no test is at ${pattern}`)
  // Of those that take long, only the ones that are named.
  return globSync(serverTests).filter((file) => !file.endsWith('.long.test.ts') || serverTests.includes(file))
}

const named = process.argv.slice(2)
process.env.LONG_TESTS ??= '1'
process.exit(await withServer('vitest', ['run', ...(named.length > 0 ? named : listed())]))
