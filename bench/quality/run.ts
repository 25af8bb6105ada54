/**
 * Retrieval quality of the real service over HTTP, on public collections: `npm run bench -- [--all] [collection…]`.
 * `--all` runs every judged query, also if a sample is enough.
 */
import { readArguments } from '../support/arguments.ts'
import { startBenchServer } from '../support/server.ts'
import { collectionNames, readCollection } from './collections.ts'
import { ingest, type Leg, legs, measure, type Scores } from './legs.ts'
import { type Measured, report } from './report.ts'

const { values, positionals } = readArguments({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !collectionNames.some((known) => known === name))
if (unknown.length > 0) throw new Error(`no collection ${unknown.join(', ')}; there are ${collectionNames.join(', ')}`)
const chosen = collectionNames.filter((name) => positionals.length === 0 || positionals.includes(name))

const measured: Measured[] = []
const server = await startBenchServer()
try {
  for (const name of chosen) {
    const collection = readCollection(name, values.all)
    if (!collection) {
      console.error(`${name}: skipped, it is not beside the project`)
      continue
    }
    const started = performance.now()
    await ingest(server, collection)
    const scores = {} as Record<Leg, Scores>
    for (const leg of legs) scores[leg] = await measure(server, collection, leg)
    measured.push({
      name,
      documents: collection.documents.length,
      queries: collection.queries.length,
      scores,
    })
    console.error(`${name}: measured in ${Math.round((performance.now() - started) / 1000)} s`)
  }
} finally {
  await server.close()
}
if (measured.length > 0) console.log(report(measured))
