import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createRuntime } from '../../src/runtime.ts'
import { addPrincipal } from '../../test/support/access/principals.ts'
import { benchDir } from '../support/leave-nothing.ts'
import { printTable, short } from '../support/table.ts'
import type { Dataset } from './data.ts'

/** How many groups the principals are in. All of them read the same fifth of the Units. */
const widths = [0, 10, 100, 1_000]
const aclSets = 20_000
const batchSize = 1_000
const perRound = 10

const groupOf = (n: number) => `group-${n % 1_000}`

/** One of 20,000 lists: a fifth is open to everyone and to groups of the principals, the others to groups of nobody. */
const aclOf = (unit: number): string[] => {
  const set = unit % aclSets
  return set % 5 === 0 ? ['*', groupOf(set / 5), groupOf(set)] : [`other-${set}`, `other-${set >> 1}`]
}

/** The processor time of a search by a principal in many groups, beside one in none, in one process and in turn. */
export async function reportByGroups({ size, text, queries }: Dataset, rounds: number): Promise<void> {
  const folder = benchDir('by-groups')
  const runtime = await createRuntime(readConfig({ DATA_DIR: folder.path, LOG_LEVEL: 'error', INFERENCE: 'builtin' }))
  const app = createApp(runtime)
  const namespace = 'bench'
  const send = async (token: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await app.fetch(
      new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    )
    if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`)
    return response.json()
  }
  try {
    const writer = await addPrincipal(runtime, { id: 'writer', namespace })
    const readers = await Promise.all(
      widths.map((width) =>
        addPrincipal(runtime, {
          id: `reader-${width}`,
          namespace,
          groups: Array.from({ length: width }, (_, n) => groupOf(n)),
          grants: [{ scope: '*', perms: ['read'] }],
        }),
      ),
    )
    for (let from = 0; from < size; from += batchSize) {
      const units = Array.from({ length: Math.min(batchSize, size - from) }, (_, i) => ({
        text: text(from + i),
        acl_groups: aclOf(from + i),
      }))
      await send(writer, '/v1/ingest?scope=bench/units', { units })
    }
    const took = widths.map((): number[] => [])
    for (let round = -3; round < rounds; round++) {
      const hits: string[] = []
      for (const i of widths.keys()) {
        // Each is first as often as the others.
        const at = (i + round + 4) % widths.length
        const begun = process.cpuUsage()
        for (let n = 0; n < perRound; n++) {
          const q = queries[((round + 3) * perRound + n) % queries.length]?.text ?? ''
          const found = await send(readers[at] ?? '', '/v1/search', { q, top_k: 10 })
          if (n === 0)
            hits.push(JSON.stringify((found as { hits: { unit_id: string }[] }).hits.map((hit) => hit.unit_id)))
        }
        const { user, system } = process.cpuUsage(begun)
        if (round >= 0) took[at]?.push((user + system) / 1_000 / perRound)
      }
      if (new Set(hits).size !== 1) throw new Error('principals that read the same Units find others')
    }
    const medians = took.map((times) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN)
    printTable(
      `Searches by the groups of the caller, ${short(size)} Units of ${short(aclSets)} access lists, k = 10, in turn`,
      ['groups', 'CPU ms', 'x none'],
      widths.map((width, i) => [short(width), short(medians[i] ?? 0), short((medians[i] ?? 0) / (medians[0] ?? 1))]),
    )
  } finally {
    await runtime.dispose()
    folder.remove()
  }
}
