/**
 * What a million, a hundred million and ten billion Units take: `npm run bench:capacity`. From measured costs of a Unit and
 * from a simulation of tenants, which gives the same numbers each time. `-- --measure 10000,1000000` measures the costs
 * again, on the PostgreSQL of TEST_DATABASE_URL, and uses those of the largest size.
 */
import { readArguments } from '../support/arguments.ts'
import { exitOnSignals } from '../support/leave-nothing.ts'
import { printMarkdown, short } from '../support/table.ts'
import { type Costs, recorded } from './costs.ts'
import { measureCosts } from './measure.ts'
import { plot } from './plot.ts'
import { simulateReplicas } from './replicas.ts'
import { byHash, byTable } from './shards.ts'
import { type Population, zipfTenants } from './tenants.ts'

exitOnSignals()
const { values } = readArguments({
  options: {
    measure: { type: 'string' },
    seed: { type: 'string', default: '1' },
    searches: { type: 'string', default: '200000' },
  },
})
const seed = Number(values.seed)
const searches = Number(values.searches)
const gib = 2 ** 30

const populations: readonly Population[] = [
  { units: 1e6, tenants: 1_000 },
  { units: 1e8, tenants: 10_000 },
  { units: 1e10, tenants: 100_000 },
]
/** What one PostgreSQL is planned for here: a server with a few terabytes that can still be copied in hours. */
const shardBytes = 4096 * gib
/** Of a replica; a machine of 64 GB leaves so much for the index. */
const replicaBytes = 48 * gib
const replicasPerShard = 4
const connectionsPerReplica = 11

const size = (bytes: number) => (bytes >= 1024 * gib ? `${short(bytes / 1024 / gib)} TiB` : `${short(bytes / gib)} GiB`)
const many = (n: number) => (n >= 1e9 ? `${short(n / 1e9)} billion` : n >= 1e6 ? `${short(n / 1e6)} million` : short(n))
const costs = values.measure === undefined ? recorded : await measured(values.measure)

console.log(
  `A Unit takes ${short(costs.rows)} rows and ${short(costs.bytes)} bytes of the catalog, and ${short(costs.indexBytes)} bytes of the embedded index.`,
)

const plans = populations.map((population) => {
  const sizes = zipfTenants(population)
  const shards = Math.ceil((population.units * costs.bytes) / shardBytes)
  return { ...population, sizes, shards, replicas: shards * replicasPerShard, largest: sizes[0] ?? 0 }
})
const lines: [string, (plan: (typeof plans)[number]) => string][] = [
  ['tenants', ({ tenants }) => many(tenants)],
  ['Units of the largest tenant', ({ largest }) => many(largest)],
  ['rows of the catalog', ({ units }) => many(units * costs.rows)],
  ['bytes of the catalog', ({ units }) => size(units * costs.bytes)],
  ['memory of the embedded index, if all of it is held', ({ units }) => size(units * costs.indexBytes)],
  ['the same of the largest tenant', ({ largest }) => size(largest * costs.indexBytes)],
  ['records in Pinecone, and documents in Meilisearch', ({ units }) => many(units)],
  ['shards (databases) of at most 4 TiB', ({ shards }) => `${shards}`],
  ['fullest shard to the mean, by a hash of the name', ({ sizes, shards }) => short(byHash(sizes, shards, seed).skew)],
  ['the same, by a table, the largest first', ({ sizes, shards }) => short(byTable(sizes, shards).skew)],
  ['connections of a database, with 4 replicas', () => `${replicasPerShard * connectionsPerReplica}`],
  ['checkpoints a minute, if every tenant writes', ({ tenants }) => many(tenants)],
]
console.log('\n## What it takes\n')
printMarkdown(
  ['', ...plans.map(({ units }) => `${many(units)} Units`)],
  lines.map(([name, of]) => [name, ...plans.map(of)]),
)

console.log(`\n## Searches that find their index in memory, ${searches.toLocaleString('en')} searches\n`)
const middle = plans[1]
const memories = [1, 2, 4, 8, 16, 32, 64, 128]
if (middle) {
  const at = (memory: number, routing: 'any' | 'sticky') =>
    simulateReplicas(middle.sizes, costs.indexBytes, { count: 4, memory: memory * gib, routing }, { searches, seed })
  const series = (['any', 'sticky'] as const).map((routing) => ({
    routing,
    served: memories.map((memory) => at(memory, routing)),
  }))
  console.log(
    plot(
      `${many(middle.units)} Units, 4 replicas, by INDEX_MEMORY_MB of each`,
      memories.map((memory) => `${memory} GiB`),
      series.map(({ routing, served }) => ({
        mark: routing === 'any' ? 'a' : 's',
        name: routing === 'any' ? 'any replica' : 'a tenant always to the same replica',
        values: served.map(({ warm }) => warm),
      })),
    ),
  )
  console.log()
  printMarkdown(
    [
      'memory of a replica',
      'warm, any',
      'warm, sticky',
      'loaded for a search, any',
      'the same, sticky',
      'tenant larger than that',
    ],
    memories.map((memory, i) => {
      const [any, sticky] = series.map(({ served }) => served[i])
      const share = (of: number | undefined) => `${short(100 * (of ?? Number.NaN))} %`
      const mib = (of: number | undefined) => `${short((of ?? Number.NaN) / 2 ** 20)} MiB`
      return [
        `${memory} GiB`,
        share(any?.warm),
        share(sticky?.warm),
        mib(any?.loadedPerSearch),
        mib(sticky?.loadedPerSearch),
        share(sticky?.tooLarge),
      ]
    }),
  )
}

console.log('\n## Where each profile ends\n')
const units = (bytes: number, cost: number) => many(bytes / cost)
printMarkdown(
  ['profile', 'ends at', 'because', 'switch'],
  [
    [
      'embedded',
      `${units(replicaBytes, costs.indexBytes)} Units`,
      `the index takes ${size(replicaBytes)}`,
      '`DATABASE_URL`, several replicas',
    ],
    [
      'PostgreSQL, embedded index',
      `a tenant of ${units(replicaBytes, costs.indexBytes)} Units`,
      'its index must fit into a replica',
      '`PINECONE_API_KEY`, `MEILI_URL`',
    ],
    [
      'PostgreSQL, engines',
      `${units(shardBytes, costs.bytes)} Units`,
      `the catalog takes ${size(shardBytes)}`,
      'another deployment beside it, `transfer`',
    ],
  ],
)

async function measured(sizes: string): Promise<Costs> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('--measure needs a PostgreSQL server, in TEST_DATABASE_URL')
  let last = recorded
  for (const units of sizes.split(',').map(Number)) {
    const cost = await measureCosts(server, units)
    last = { rows: cost.rows / units, bytes: cost.bytes / units, indexBytes: cost.indexBytes / units }
    console.log(`\n${many(units)} Units, taken in within ${short(cost.seconds)} s\n`)
    printMarkdown(
      ['table', 'rows', 'bytes a Unit'],
      cost.tables.map(({ table, rows, bytes }) => [table, many(rows), short(bytes / units)]),
    )
    console.log(
      `\nIn all ${short(last.rows)} rows and ${short(last.bytes)} bytes a Unit; in the index ${short(last.indexBytes)} bytes.`,
    )
  }
  return last
}
