/**
 * Speed of the real service over HTTP, with text queries that a model embeds and on synthetic Units, and of other engines on the latter:
 * `npm run bench:search -- [--sizes 10k,100k] [--million] [--peers index,qdrant-edge,tantivy,lancedb,chroma,pgvector|none]
 * [--selectivity 0.02,0.5]`. With `--by-fields 40` instead: filters, facets, sorts, groups and changes of readers, 40 times each;
 * with `--by-groups 40`: principals in 0 to 1,000 groups that read the same Units.
 */
import { exitOnSignals } from '../support/leave-nothing.ts'
import { startLoadGenerator } from '../support/load.ts'
import { benchService } from './bench-service.ts'
import { exactNeighbours, recallOf } from './brute-force.ts'
import { reportByFields } from './by-fields.ts'
import { reportByGroups } from './by-groups.ts'
import { type Dataset, groupOf, makeDataset } from './data.ts'
import { k, measurePeer } from './measure.ts'
import { readOptions } from './options.ts'
import { type PeerName, peers } from './peers/all.ts'
import { PeerSkippedError } from './peers/peer.ts'
import { type Contender, reportPeers, reportService, reportTextQueries } from './report.ts'
import { benchTextQueries } from './text-queries.ts'

type Exact = ReadonlyMap<number, readonly ReadonlySet<number>[]>

const queryCount = 200

exitOnSignals()
const options = readOptions()
const load = startLoadGenerator()
if (options.byFields + options.byGroups === 0) reportTextQueries(await benchTextQueries(load, options.seconds))
for (const size of options.sizes) {
  const dataset = makeDataset(size, queryCount, options.selectivities)
  if (options.byFields > 0) {
    await reportByFields(load, dataset, options.byFields)
    continue
  }
  if (options.byGroups > 0) {
    await reportByGroups(dataset, options.byGroups)
    continue
  }
  const exact = new Map(options.selectivities.map((s) => [s, exactNeighbours(dataset, s, k)]))
  const service = await benchService(load, dataset, exact, options.seconds)
  reportService(size, service)
  const contenders: Contender[] = service.searches.map(({ mode, selectivity, figures }) => ({
    name: 'this service, over HTTP',
    mode,
    selectivity,
    loadSeconds: size / Math.max(...service.ingests.map(({ rate }) => rate)),
    figures,
    recall: mode === 'vectors' ? service.recalls.get(selectivity) : undefined,
    memory: service.memory.restarted?.rss,
  }))
  const skipped: string[] = []
  for (const name of options.peers) {
    try {
      contenders.push(...(await benchPeer(name, dataset, exact)))
    } catch (error) {
      if (!(error instanceof PeerSkippedError)) throw error
      skipped.push(`${name} skipped: ${error.message}`)
    }
  }
  if (options.peers.length > 0) reportPeers(size, contenders, skipped)
}
await load.close()

async function benchPeer(name: PeerName, dataset: Dataset, exact: Exact): Promise<Contender[]> {
  const peer = await peers[name](dataset)
  const contenders: Contender[] = []
  for (const way of peer.ways) {
    for (const selectivity of dataset.selectivities) {
      const connect = () => way.connect(groupOf(selectivity))
      const { found, ...figures } = await measurePeer(connect, dataset, options.seconds)
      const recall = way.mode === 'vectors' ? recallOf(found, exact.get(selectivity) ?? []) : undefined
      contenders.push({
        name: `${peer.name}, ${way.name}`,
        mode: way.mode,
        selectivity,
        loadSeconds: peer.loadSeconds,
        memory: peer.memory,
        figures,
        recall,
      })
    }
  }
  await peer.close()
  return contenders
}
