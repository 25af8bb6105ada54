import { closedLoop, type Timings } from '../support/closed-loop.ts'
import { httpRequest } from '../support/http-connection.ts'
import type { LoadGenerator } from '../support/load.ts'
import { call } from '../support/service.ts'
import { recallOf } from './brute-force.ts'
import type { Dataset } from './data.ts'
import type { PeerClient } from './peers/peer.ts'
import { type Mode, searchBody } from './queries.ts'

export const k = 10
export const manyClients = 8

/** How often each query runs before the measurement, so that compiled code is stable. */
const warmUpRounds = 3

export interface Figures {
  one: Timings
  many: Timings
}

/** Each query once with one client, then all queries repeatedly with many clients; both after a warm-up. */
export async function measureService(
  load: LoadGenerator,
  service: { origin: string; token: string },
  dataset: Pick<Dataset, 'queries'>,
  mode: Mode,
  seconds: number,
): Promise<Figures> {
  const { origin, token } = service
  const headers = { authorization: `Bearer ${token}` }
  const requests = dataset.queries.map((query) =>
    httpRequest(origin, { method: 'POST', path: '/v1/search', headers, body: searchBody(mode, query, k) }),
  )
  await load.run({ origin, requests, clients: 1, limit: { count: warmUpRounds * requests.length, seconds } })
  const one = await load.run({ origin, requests, clients: 1, limit: { count: requests.length } })
  await load.run({ origin, requests, clients: manyClients, limit: { seconds: seconds / 5 } })
  const many = await load.run({ origin, requests, clients: manyClients, limit: { seconds } })
  return { one, many }
}

/** The same for a peer, with one connection per client. */
export async function measurePeer(
  connect: () => Promise<PeerClient>,
  dataset: Dataset,
  seconds: number,
): Promise<Figures & { found: string[][] }> {
  const clients: PeerClient[] = []
  for (let i = 0; i < manyClients; i++) clients.push(await connect())
  const found: string[][] = []
  const senders = clients.map((client) => async (i: number) => {
    const place = i % dataset.queries.length
    const query = dataset.queries[place]
    if (query) found[place] = await client.search(query, k)
  })
  const single = senders.slice(0, 1)
  await closedLoop(single, { count: warmUpRounds * dataset.queries.length, seconds })
  const one = await closedLoop(single, { count: dataset.queries.length })
  await closedLoop(senders, { seconds: seconds / 5 })
  const many = await closedLoop(senders, { seconds })
  for (const client of clients) await client.close()
  return { one, many, found }
}

/** Recall of vector-only search, against the exact neighbours. */
export async function serviceRecall(
  { origin, token }: { origin: string; token: string },
  dataset: Dataset,
  exact: readonly ReadonlySet<number>[],
): Promise<number> {
  const found: string[][] = []
  for (const query of dataset.queries) {
    found.push(hitIds(await call(origin, '/v1/search', JSON.parse(searchBody('vectors', query, k)), token)))
  }
  return recallOf(found, exact)
}

/** The ids in the body of a search answer. */
export const hitIds = (body: unknown): string[] =>
  (body as { hits: { external_id: string }[] }).hits.map((hit) => hit.external_id)
