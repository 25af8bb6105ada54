import { benchDir } from '../support/leave-nothing.ts'
import type { LoadGenerator } from '../support/load.ts'
import { type Memory, settledMemory } from '../support/memory.ts'
import { call, startService, stopService } from '../support/service.ts'
import type { Dataset } from './data.ts'
import { ingest, type VectorForm } from './ingest.ts'
import { type Figures, hitIds, k, measureService, serviceRecall } from './measure.ts'
import { makePrincipals } from './principals.ts'
import { type Mode, modes, searchBody } from './queries.ts'

export interface ServiceFigures {
  ingests: IngestFigures[]
  searches: { mode: Mode; selectivity: number; figures: Figures }[]
  /** For vector-only searches, by selectivity. */
  recalls: ReadonlyMap<number, number>
  memory: { empty: Memory | null; ingested: Memory | null; restarted: Memory | null }
  /** Time from process start to the boot block, and to the first answer of a hybrid search. */
  startUp: { bootMs: number; answerMs: number; isSameAnswer: boolean }
}

/** A quarter of the Units, ingested by some clients at once, with vectors in one form. */
export interface IngestFigures {
  clients: number
  form: VectorForm
  /** Units per second. */
  rate: number
}

const quarters = [1, 2].flatMap((clients) => (['numbers', 'base64'] as const).map((form) => ({ clients, form })))

/** Starts a service, fills it with the Units, measures it, and removes it. */
export async function benchService(
  load: LoadGenerator,
  dataset: Dataset,
  exact: ReadonlyMap<number, readonly ReadonlySet<number>[]>,
  seconds: number,
): Promise<ServiceFigures> {
  const folder = benchDir('service')
  const { writer, readers } = await makePrincipals(folder.path, dataset.selectivities)
  await using service = await startService(folder.path)
  const origin = service.url
  const [token = ''] = readers.values()
  const firstSearch = (url: string) => search(url, token, dataset)
  await firstSearch(origin)
  const empty = await settledMemory(service.pid)

  const target = { load, origin, token: writer, dataset }
  const ingests: IngestFigures[] = []
  for (const [i, { clients, form }] of quarters.entries()) {
    const [start, end] = [i, i + 1].map((quarter) => Math.floor((dataset.size * quarter) / quarters.length))
    const seconds = await ingest(target, { start: start ?? 0, end: end ?? 0, clients, form })
    ingests.push({ clients, form, rate: dataset.size / quarters.length / seconds })
  }
  const ingested = await settledMemory(service.pid)

  const searches: ServiceFigures['searches'] = []
  const recalls = new Map<number, number>()
  for (const [selectivity, token] of readers) {
    for (const mode of Object.keys(modes) as Mode[]) {
      const figures = await measureService(load, { origin, token }, dataset, mode, seconds)
      searches.push({ mode, selectivity, figures })
    }
    recalls.set(selectivity, await serviceRecall({ origin, token }, dataset, exact.get(selectivity) ?? []))
  }

  const before = await firstSearch(origin)
  await stopService(service)
  const begun = performance.now()
  await using again = await startService(folder.path)
  const bootMs = performance.now() - begun
  const after = await firstSearch(again.url)
  const answerMs = performance.now() - begun
  const restarted = await settledMemory(again.pid)
  await stopService(again)
  folder.remove()
  return {
    ingests,
    searches,
    recalls,
    memory: { empty, ingested, restarted },
    startUp: { bootMs, answerMs, isSameAnswer: before.join() === after.join() },
  }
}

async function search(origin: string, token: string, { queries }: Dataset): Promise<string[]> {
  const [query] = queries
  if (!query) throw new Error('no queries')
  return hitIds(await call(origin, '/v1/search', JSON.parse(searchBody('hybrid', query, k)), token))
}
