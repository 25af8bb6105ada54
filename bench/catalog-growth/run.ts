/**
 * What each statement of the service touches in the catalog as everything else grows, and as its own namespace grows, on
 * PostgreSQL: `npm run bench:catalog-growth -- [--rows 10000000]`. Pages do not depend on the machine, and times are not
 * measured. The last size is what `--rows` says, over all tables; the two before it are a tenth and a hundredth of it.
 */
import { readArguments } from '../support/arguments.ts'
import { exitOnSignals } from '../support/leave-nothing.ts'
import { printMarkdown } from '../support/table.ts'
import { grew, isSweep, type Peak, sweeps } from './compare.ts'
import { addOwnUnits, createGrowthWorld } from './world.ts'

exitOnSignals()
const { values } = readArguments({
  options: { rows: { type: 'string', default: '10000000' }, all: { type: 'boolean' } },
})
if (!process.env.TEST_DATABASE_URL) {
  console.log('skipped: it needs a PostgreSQL server, in TEST_DATABASE_URL')
  process.exit(0)
}

/** A catalog with about N rows, and what each statement touches in it. Its own data are the same at each size. */
async function measured(rows: number) {
  const growth = await createGrowthWorld({ sweeps: false })
  await growth.measure()
  await growth.grow(Math.max(1, Math.round(rows / (await growth.rows())) - 1))
  // The first run after it finds what the copies have left to do.
  await growth.measure()
  const size = { growth, rows: await growth.rows(), peak: await growth.measure() }
  console.error(`${size.rows} rows are measured`)
  return size
}

const sizes: { rows: number; peak: Map<string, Peak> }[] = []
for (const part of [100, 10]) {
  const { growth, ...size } = await measured(Number(values.rows) / part)
  await growth[Symbol.asyncDispose]()
  sizes.push(size)
}
const { growth: last, ...large } = await measured(Number(values.rows))
await using growth = last
sizes.push(large)
const [small = large] = sizes

const ownUnits = 20_000
await addOwnUnits(growth, ownUnits)
await growth.measure()
const within = await growth.measure()

const statements = [...large.peak.values()].sort((a, b) => b.pages - a.pages)
const at = (peak: Map<string, Peak>, { statement }: Peak) => peak.get(statement)
const growsWithWhole = (peak: Peak) => grew(at(small.peak, peak) ?? peak, peak)
const growsWithOwn = (peak: Peak) => grew(peak, at(within, peak) ?? peak)

const row = (peak: Peak) => [
  peak.operations.slice(0, 2).join(', ') +
    (peak.operations.length > 2 ? ` and ${peak.operations.length - 2} more` : ''),
  `\`${peak.statement.slice(0, 90).replaceAll('|', '¦')}\``,
  peak.scans.join(', '),
  ...sizes.map((size) => `${at(size.peak, peak)?.pages ?? '-'}`),
  `${at(within, peak)?.pages ?? '-'}`,
]
const headers = [
  'operation',
  'statement',
  'scans',
  ...sizes.map(({ rows }) => `pages at ${rows.toLocaleString('en')} rows`),
  `and ${ownUnits.toLocaleString('en')} more Units of its own`,
]
const print = (title: string, chosen: readonly Peak[]) => {
  console.log(`\n${title}: ${chosen.length}\n`)
  if (chosen.length > 0) printMarkdown(headers, chosen.map(row))
}

console.log(`${statements.length} statements, of every operation and of the background`)
print(
  'Hot, and grow with the whole',
  statements.filter((peak) => growsWithWhole(peak) && !isSweep(peak)),
)
console.log('\nSweeps, which walk through everything on purpose, are left out:\n')
for (const { begins, every } of sweeps) console.log(`- \`${begins} …\`, every ${every}`)
print(
  'Grow with their namespace',
  statements.filter((peak) => growsWithOwn(peak) && !isSweep(peak)),
)
if (values.all) print('All', statements)
const bounded = statements.filter((peak) => !isSweep(peak) && !growsWithWhole(peak) && !growsWithOwn(peak))
console.log(`\nBounded: ${bounded.length}, with at most ${Math.max(...bounded.map(({ pages }) => pages))} pages each`)
for (const [statement, error] of growth.failures) console.log(`not measured: ${statement}: ${error}`)
