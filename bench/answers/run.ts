/**
 * When the built-in writer answers, and from which hits: `npm run bench:answers`. Each collection's queries run on the
 * collection itself, on another collection, which does not contain their answers, and on the collection without the
 * relevant documents.
 * With `-- foreign`: questions of the same style without an answer, see `foreign.ts`. With `-- multihop`: questions that
 * need more than one passage, see `multihop.ts`. With `-- risk`: how risk falls with coverage, see `risk.ts`.
 */

import { mean } from '../../src/domain/evaluation/score-query.ts'
import { type Collection, collectionNames, everyNth, readCollection } from '../quality/collections.ts'
import { readArguments } from '../support/arguments.ts'
import { startBenchServer } from '../support/server.ts'
import { answersWithout, ask } from './ask.ts'
import { foreignHeaders, foreignRows } from './foreign.ts'
import { multihopHeaders, multihopRows } from './multihop.ts'
import { questionSets } from './question-sets.ts'
import {
  collectionHeaders,
  collectionRows,
  curveHeaders,
  curveRows,
  defaultThreshold,
  methodsOf,
  outcomesOf,
  reliabilityHeaders,
  reliabilityRows,
  retrieveAll,
} from './risk.ts'

const queriesEach = 150
const batchSize = 500

const { positionals } = readArguments({ allowPositionals: true })
const [isForeign, isMultihop, isRisk] = ['foreign', 'multihop', 'risk'].map((name) => positionals.includes(name))
const collections = (isForeign || isMultihop || isRisk ? [] : collectionNames).flatMap((name) => {
  const collection = readCollection(name, false)
  if (!collection) console.error(`${name}: skipped, it is not beside the project`)
  return collection ? [collection] : []
})
/** A chat model or a judge is measured where the environment names one. */
const models = Object.entries(process.env).filter(([name]) => /^(?:INFERENCE|CHAT|NLI)(?:_|$)/u.test(name))
const server = await startBenchServer(
  isRisk ? Object.fromEntries(models.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))) : {},
)
try {
  for (const collection of collections) await ingest(collection)
  const rows: string[][] = isForeign ? await foreignRows(server) : isMultihop ? await multihopRows(server) : []
  for (const collection of collections) rows.push(await measure(collection))
  const ownHeaders = [
    'collection',
    'answered',
    'first citation relevant',
    'verbatim',
    'of another',
    'without the relevant',
    'ms',
  ]
  const headers = isForeign ? foreignHeaders : isMultihop ? multihopHeaders : ownHeaders
  if (rows.length > 0) console.log(table(headers, rows))
  if (isRisk) await reportRisk()
} finally {
  await server.close()
}

async function ingest({ name, plane, modality, documents }: Collection): Promise<void> {
  for (let i = 0; i < documents.length; i += batchSize) {
    // A Unit needs some text. A document without text stays in, as a document that no query finds.
    const units = documents
      .slice(i, i + batchSize)
      .map(({ id, text }) => ({ external_id: id, text: text || ' ', plane, modality, acl_groups: ['*'] }))
    await server.post('/v1/ingest', { units }, `answers/${name}`)
  }
}

async function measure(collection: Collection): Promise<string[]> {
  const { name, plane } = collection
  const others = collections.filter((other) => other !== collection)
  const queries = everyNth(collection.queries, queriesEach)
  const [took, relevant, verbatim, foreign, without]: [number[], boolean[], boolean[], boolean[], boolean[]] = [
    [],
    [],
    [],
    [],
    [],
  ]
  for (const [i, query] of queries.entries()) {
    const own = await ask(server, `answers/${name}`, query.text)
    took.push(own.tookMs)
    const [first] = own.citations
    if (first) relevant.push(query.relevant.has(own.hits.get(first.unitId)?.id ?? ''))
    for (const { unitId, start, end, quote } of own.citations) {
      verbatim.push(own.hits.get(unitId)?.text.slice(start, end) === quote)
    }
    const other = others[i % others.length]
    if (other) foreign.push(!(await ask(server, `answers/${other.name}`, query.text)).abstained)
    without.push(await answersWithout(server, `answers/${name}`, plane, query))
  }
  const answered = `${percent(relevant.length, queries.length)} of ${queries.length}`
  const counts = [relevant, verbatim, foreign, without].map((list) => percent(list.filter(Boolean).length, list.length))
  return [name, answered, ...counts, mean(took).toFixed(1)]
}

async function reportRisk(): Promise<void> {
  const sets = questionSets(queriesEach)
  for (const set of sets) await ingest(set)
  const asked = await retrieveAll(server, sets)
  const [curve, byCollection, reliability]: [string[][], string[][], string[][]] = [[], [], []]
  for (const { name, bindings } of methodsOf(server.runtime)) {
    const outcomes = await outcomesOf(bindings, asked)
    curve.push(...curveRows(name, outcomes))
    byCollection.push(...collectionRows(name, outcomes, defaultThreshold))
    reliability.push(...reliabilityRows(name, outcomes))
  }
  const tables = [
    table(curveHeaders, curve),
    table(collectionHeaders, byCollection),
    table(reliabilityHeaders, reliability),
  ]
  console.log(tables.join('\n\n'))
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(0)} %`
}

function table(headers: readonly string[], rows: readonly string[][]): string {
  return [headers, headers.map(() => '---'), ...rows].map(toLine).join('\n')
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
