/** Long life: `npm run soak -- --help`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerProcess, startServerProcess } from '../../test/support/process/server-process.ts'
import { benchDir, exitOnSignals } from '../support/leave-nothing.ts'
import { call, stopService } from '../support/service.ts'
import { printTable, short } from '../support/table.ts'
import { type CatalogSize, catalogSize } from './catalog.ts'
import { type Client, createClient } from './client.ts'
import { type Judged, judge, type Sample } from './judge.ts'
import { changeModels, startTimeoutMs } from './model-change.ts'
import { addDocuments, type Context, draw, operations, type Person } from './operations.ts'
import { help, type Options, readOptions, warmUpOf } from './options.ts'
import { startReference } from './reference.ts'
import { folderOf, measures, processOf, scrape } from './sampler.ts'
import { createWorld, fill, type World } from './world.ts'

const mebibyte = 2 ** 20
const person: Person = { name: 'Mira', email: 'mira@example.com', password: 'the cat is called Bollard' }

exitOnSignals()
const options = parsed()
const folder = benchDir('soak')
const dataDir = join(folder.path, 'data')
const env: Record<string, string> = {
  ...(process.env.NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS: process.env.NODE_OPTIONS }),
  // As in the image.
  MALLOC_ARENA_MAX: '2',
  HOST: '127.0.0.1',
  PORT: '0',
  DATA_DIR: dataDir,
  LOG_LEVEL: 'error',
  METRICS_PORT: '0',
  SWEEP_SECONDS: '60',
  AUDIT_CHECKPOINT_SECONDS: '10',
  SIGN_IN_TRIES: '1000000',
}
const world = createWorld(options.seed)

const { tokens } = await withService(async (service) => {
  const made = (await call(service.url, '/v1/admin/seed', {})) as { tokens: { admin: string } }
  await createClient(service.url, { origin: service.url }).send('POST', '/api/auth/sign-up/email', person)
  const client = createClient(service.url, { authorization: `Bearer ${made.tokens.admin}` })
  await fill(client, world, options.units)
  await addDocuments({ url: service.url, client, world, person, grow: false })
  return made
})
// Files keep the pages that the load needs at a time: growth is what comes after them.
await withService((service) => soak(service, warmUpOf(options.minutes)))
await changeModels(env, tokens.admin)
const before = await catalogSize(dataDir)
const { samples, counts, live } = await withService((service) => soak(service, options.minutes * 60_000))
await changeModels(env, tokens.admin)
const after = await catalogSize(dataDir)
report(judge(withProcessorTimes(samples).map(withoutNatural), measures, warmUpOf(options.minutes), options.limit))

function parsed(): Options {
  try {
    const read = readOptions(process.argv.slice(2))
    if (read !== 'help') return read
    console.log(help)
    process.exit(0)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}

async function withService<T>(work: (service: ServerProcess) => Promise<T>): Promise<T> {
  await using service = await startServerProcess(env, { timeoutMs: startTimeoutMs })
  const result = await work(service)
  await stopService(service)
  if (service.stderr !== '') throw new Error(`the service logged errors:\n${service.stderr.slice(0, 2000)}`)
  return result
}

interface Soaked {
  samples: Sample[]
  counts: Map<string, number>
  /** Live Units at the start and the end. */
  live: [number, number]
}

/** The load, with a sample after each second. */
async function soak(service: ServerProcess, forMs: number): Promise<Soaked> {
  const client = createClient(service.url, { authorization: `Bearer ${tokens.admin}` })
  const metrics = /^ {2}metrics +(\S+)/m.exec(service.stdout)?.[1] ?? ''
  const context: Context = { url: service.url, client, world, person, grow: options.grow }
  const [samples, counts]: [Sample[], Map<string, number>] = [[], new Map()]
  const started = performance.now()
  const elapsed = () => performance.now() - started
  const isOver = () => elapsed() > forMs
  const liveAtStart = await liveUnits(client)

  const reference = startReference()
  const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0)
  const load = async () => {
    for (let done = 0; !isOver(); done += 1) {
      await sleep(Math.max(0, (done * 1000) / options.rate - elapsed()))
      const [name, , run] = draw(world)
      const scale = await reference.measure()
      const begun = performance.now()
      await run(context)
      const ms = performance.now() - begun
      counts.set(name, (counts.get(name) ?? 0) + 1)
      const kind = { search: 'search', update: 'write' }[name]
      if (kind === undefined) continue
      samples.push({ at: elapsed(), values: { [kind]: ms / scale, [`${kind}, time`]: ms, reference: scale } })
    }
  }
  const watch = async () => {
    while (!isOver()) {
      await sleep(1000)
      const values = { ...processOf(service.pid), ...(await scrape(metrics)), operations: total() }
      samples.push({ at: elapsed(), values })
    }
  }
  const measureDisk = async () => {
    const everyMs = Math.min(10_000, options.minutes * 1000)
    while (!isOver()) {
      samples.push({ at: elapsed(), values: { ...(await diskOf(client, world)) } })
      await sleep(everyMs)
    }
  }
  await Promise.all([load(), watch(), measureDisk()]).finally(reference.close)
  return { samples: samples.toSorted((a, b) => a.at - b.at), counts, live: [liveAtStart, await liveUnits(client)] }
}

async function liveUnits(client: Client): Promise<number> {
  const { body } = await client.send('GET', '/v1/catalog/stats', undefined, { 'x-svc-scope': '*' })
  return body.storage.catalog_rows
}

/** Bytes, and the rows among them that stay by contract. */
async function diskOf(client: Client, { stubs, keptAnswers }: World): Promise<Record<string, number>> {
  const { body } = await client.send('GET', '/v1/audit?limit=1', undefined, { 'x-svc-scope': '*' })
  const { files, bytes } = folderOf(dataDir)
  return { files, 'all bytes': bytes, audit: body.rows[0].seq, stubs, kept: keptAnswers }
}

/** Takes off what the audit log, stubs and kept answers take, by the bytes of a row in the catalog at the end. */
function withoutNatural({ at, values }: Sample): Sample {
  const all = values['all bytes']
  if (all === undefined) return { at, values }
  const of = ({ rows, bytes }: { rows: number; bytes: number }, count = 0) => (rows === 0 ? 0 : (bytes / rows) * count)
  const natural = of(after.audit, values.audit) + of(after.stubs, values.stubs) + of(after.keptAnswers, values.kept)
  return { at, values: { ...values, bytes: (all - natural) / mebibyte } }
}

/** Milliseconds of the processors for each operation, over half a minute or more. */
function withProcessorTimes(all: readonly Sample[]): Sample[] {
  let last: Sample | undefined
  return all.map((sample) => {
    const { at, values } = sample
    if (values.processor === undefined || values.operations === undefined) return sample
    last ??= sample
    const done = values.operations - (last.values.operations ?? 0)
    if (at - last.at < Math.min(30_000, options.minutes * 2000) || done === 0) return sample
    const time = (values.processor - (last.values.processor ?? 0)) / done
    last = sample
    return { at, values: { ...values, 'processor time of an operation': time } }
  })
}

function report(judged: readonly Judged[]): void {
  const own = ({ total, audit, stubs, sources, keptAnswers }: CatalogSize) =>
    (total - [audit, stubs, sources, keptAnswers].reduce((sum, { bytes }) => sum + bytes, 0)) / mebibyte
  const changed = judge(
    [before, after].map((size, at) => ({ at, values: { catalog: own(size) } })),
    [{ name: 'catalog', unit: 'MiB', floor: 1 }],
    0,
    options.limit,
  ).map((one) => ({ ...one, name: 'catalog after a change of models and back' }))
  const results = [...judged, ...changed]
  const grown = results.filter(({ grew }) => grew)
  printTable(
    `${options.minutes} minutes, ${options.units} Units, seed ${options.seed}: medians of the first and the last part after warming up`,
    ['what', 'unit', 'start', 'end', 'growth', ''],
    results.map(({ name, unit, start, end, growth, grew, shownOnly }) => [
      name,
      unit,
      short(start),
      short(end),
      `${(100 * growth).toFixed(1)} %`,
      grew ? 'GREW' : shownOnly ? 'not judged' : 'ok',
    ]),
  )
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  console.log(`${total} operations: ${operations.map(([name]) => `${name} ${counts.get(name) ?? 0}`).join(', ')}.`)
  console.log(`Live Units: ${live.join(' at the start, ')} at the end.`)
  const each = ({ rows, bytes }: { rows: number; bytes: number }) =>
    `${rows.toLocaleString('en')} of ${short(rows === 0 ? 0 : bytes / rows)} bytes`
  console.log(
    `Rows that stay by contract, not among the bytes above: audit log ${each(after.audit)}, stubs of purged Units ` +
      `${each(after.stubs)}, purged sources ${each(after.sources)}, answers kept for a day ${each(after.keptAnswers)}.`,
  )
  if (options.json !== null) {
    writeFileSync(
      options.json,
      JSON.stringify({ options, results, counts: Object.fromEntries(counts), before, after, samples }),
    )
  }
  console.log(grown.length === 0 ? 'Nothing grew.' : `Grew: ${grown.map(({ name }) => name).join(', ')}.`)
  if (!options.grow && live[0] !== live[1]) console.log('The number of live Units changed.')
  process.exitCode = grown.length === 0 && (options.grow || live[0] === live[1]) ? 0 : 1
}
