import { short as n, printTable } from '../support/table.ts'
import type { IngestFigures, ServiceFigures } from './bench-service.ts'
import type { Figures } from './measure.ts'
import { manyClients } from './measure.ts'
import { type Mode, modes } from './queries.ts'
import type { TextFigures } from './text-queries.ts'

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`

const mebibytes = (bytes: number | undefined): string => (bytes === undefined ? '-' : n(bytes / 2 ** 20))

/** The service's figures for N Units. */
export function reportService(size: number, service: ServiceFigures): void {
  printTable(
    `The service, ${n(size)} Units: searches over HTTP, k = 10`,
    ['query', 'may read', 'p50 ms', 'p95 ms', 'q/s 1 client', `q/s ${manyClients} clients`, 'p95 ms', 'recall@10'],
    service.searches.map(({ mode, selectivity, figures: { one, many } }) => [
      mode,
      percent(selectivity),
      n(one.p50),
      n(one.p95),
      n(one.perSecond),
      n(many.perSecond),
      n(many.p95),
      mode === 'vectors' ? n(service.recalls.get(selectivity) ?? Number.NaN) : '',
    ]),
  )
  const { memory, startUp, ingests } = service
  const perUnit = (memory.ingested?.own ?? Number.NaN) - (memory.empty?.own ?? Number.NaN)
  const perUnitLater = (memory.restarted?.own ?? Number.NaN) - (memory.empty?.own ?? Number.NaN)
  printTable(
    `The service, ${n(size)} Units: everything else`,
    ['what', 'value'],
    [
      ...ingests.map(({ clients, form, rate }) => [
        `ingest, Units/s, vectors as ${form}, clients: ${clients}`,
        n(rate),
      ]),
      ['base64 / numbers, by clients', ratios(ingests)],
      ['memory when empty, MiB resident (own)', `${mebibytes(memory.empty?.rss)} (${mebibytes(memory.empty?.own)})`],
      ['memory after ingest', `${mebibytes(memory.ingested?.rss)} (${mebibytes(memory.ingested?.own)})`],
      [
        'memory after a restart and a search',
        `${mebibytes(memory.restarted?.rss)} (${mebibytes(memory.restarted?.own)})`,
      ],
      ['bytes per Unit after ingest; after the restart', `${n(perUnit / size)}; ${n(perUnitLater / size)}`],
      ['start-up ms: listening; first hybrid search answered', `${n(startUp.bootMs)}; ${n(startUp.answerMs)}`],
      ['that search finds what it found before', startUp.isSameAnswer ? 'yes' : 'NO'],
    ],
  )
}

/** Text in, hits out: the query is embedded in between, unless only words count. */
export function reportTextQueries(found: readonly TextFigures[]): void {
  printTable(
    `The service, ${n(found[0]?.units ?? 0)} Units of English text: text queries end to end over HTTP, k = 10`,
    ['embedding', 'ingest, Units/s', 'p50 ms', 'p95 ms', 'q/s 1 client', `q/s ${manyClients} clients`, 'p95 ms'],
    found.map(({ embedding, rate, figures: { one, many } }) => [
      embedding,
      n(rate),
      n(one.p50),
      n(one.p95),
      n(one.perSecond),
      n(many.perSecond),
      n(many.p95),
    ]),
  )
}

/** `1.2; 1.3`: for one client, then for two. */
function ratios(ingests: readonly IngestFigures[]): string {
  const rateOf = (form: string, clients: number) =>
    ingests.find((one) => one.form === form && one.clients === clients)?.rate ?? Number.NaN
  const counts = [...new Set(ingests.map(({ clients }) => clients))]
  return counts.map((clients) => n(rateOf('base64', clients) / rateOf('numbers', clients))).join('; ')
}

/** Filtered search in one way of one engine. */
export interface Contender {
  name: string
  mode: Mode
  selectivity: number
  loadSeconds: number
  figures: Figures
  /** Of vectors. */
  recall: number | undefined
  /** Resident bytes of its process, if it has one of its own. */
  memory: number | undefined
}

/** For each kind of query and selectivity the service comes first; the others are multiples of its throughput. */
export function reportPeers(size: number, contenders: readonly Contender[], skipped: readonly string[]): void {
  const selectivities = [...new Set(contenders.map(({ selectivity }) => selectivity))]
  const kinds = (Object.keys(modes) as Mode[]).flatMap((mode) => selectivities.map((s) => [mode, s] as const))
  printTable(
    `Side by side, ${n(size)} Units: filtered search, k = 10`,
    [
      'query',
      'may read',
      'engine',
      'load s',
      'MiB resident',
      'p50 ms',
      `q/s ${manyClients} clients`,
      'recall@10',
      'x our throughput',
    ],
    kinds.flatMap(([mode, selectivity]) => {
      const rows = contenders.filter((one) => one.mode === mode && one.selectivity === selectivity)
      const ours = rows[0]?.figures.many.perSecond ?? Number.NaN
      return rows.map(({ name, loadSeconds, memory, figures: { one, many }, recall }) => [
        mode,
        percent(selectivity),
        name,
        n(loadSeconds),
        mebibytes(memory),
        n(one.p50),
        n(many.perSecond),
        recall === undefined ? '' : n(recall),
        n(many.perSecond / ours),
      ])
    }),
  )
  for (const line of skipped) console.log(line)
}
