/**
 * The speed of audit log verification, next to a loop that only hashes the same bytes.
 * `npm run bench:audit -- [--rows 1000000] [--rounds 5]`.
 */
import { readArguments } from '../support/arguments.ts'
import { benchDir, exitOnSignals } from '../support/leave-nothing.ts'
import { peakMemory } from '../support/memory.ts'
import { call, startService, stopService } from '../support/service.ts'
import { printTable, short } from '../support/table.ts'
import { bareLoop } from './bare-loop.ts'
import { fillLog } from './fill.ts'

exitOnSignals()
const { values } = readArguments({
  options: { rows: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '5' } },
})
const rows = Number(values.rows)
const folder = benchDir('audit')

const first = await startService(folder.path)
const { tokens } = (await call(first.url, '/v1/admin/seed', {})) as { tokens: { admin: string } }
await stopService(first)

const table: string[][] = []
// A tenth of the rows first, to show whether memory grows with the log.
for (const size of [Math.floor(rows / 10), rows]) {
  await fillLog(folder.path, 'demo', size)
  await using service = await startService(folder.path)
  const get = async (path: string) => {
    const started = performance.now()
    const response = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${tokens.admin}` } })
    const body = (await response.json()) as { intact?: boolean; checked?: number; size?: number }
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(body)}`)
    return { body, seconds: (performance.now() - started) / 1000 }
  }
  const signed = await get('/v1/audit/checkpoint')
  await get('/v1/audit/verify')
  const proof = await get('/v1/audit/proof?seq=1')
  const measured: { verify: number; usual: number; fastest: number }[] = []
  // Alternating, so that a busy moment of the machine affects both.
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const { body, seconds } = await get('/v1/audit/verify')
    if (!body.intact || (body.checked ?? 0) < size) throw new Error(`not intact: ${JSON.stringify(body)}`)
    measured.push({ verify: (body.checked ?? 0) / seconds, ...bareLoop(size) })
  }
  const best = (key: 'verify' | 'usual' | 'fastest') => Math.max(...measured.map((one) => one[key]))
  const ratios = measured.map(({ verify, usual }) => verify / usual).toSorted((a, b) => a - b)
  table.push([
    size.toLocaleString('en'),
    short(best('verify')),
    short(best('usual')),
    short(best('fastest')),
    percent(best('verify') / best('usual')),
    percent(ratios[Math.floor(ratios.length / 2)] ?? Number.NaN),
    percent(best('verify') / best('fastest')),
    short(peakMemory(service.pid) / 2 ** 20),
    short(signed.seconds),
    short(proof.seconds * 1000),
  ])
  await stopService(service)
}
printTable(
  `Verifying an audit log over HTTP (chain, Merkle tree, checkpoints), and SHA-256 over the same bytes in memory: the best of ${values.rounds} rounds each`,
  [
    'rows',
    'verify rows/s',
    'createHash rows/s',
    'hash rows/s',
    'verify / createHash',
    'in the median round',
    'verify / hash',
    'peak MB',
    'first checkpoint s',
    'proof ms',
  ],
  table,
)
folder.remove()

function percent(ratio: number): string {
  return `${short(100 * ratio)} %`
}
