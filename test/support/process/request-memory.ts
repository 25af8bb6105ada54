import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { boot } from '../boot.ts'

/** Prints how many bytes a request leaves that only a collection of all garbage frees. In a process of its own: others leave some, too. */

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void

const app = await boot()
const seeded = await app.call('POST', '/v1/admin/seed', { body: {} })
const send = async (requests: number) => {
  for (let sent = 0; sent < requests; sent += 1) {
    const { status } = await app.call('GET', '/v1/context', { token: seeded.body.tokens.admin })
    if (status !== 200) throw new Error(`answered ${status}`)
  }
  // What two of these leave counts as old.
  for (let times = 0; times < 3; times += 1) collect({ type: 'minor' })
  return process.memoryUsage().heapUsed
}
await send(2_000)
collect()
const before = await send(500)
const after = await send(2_000)
// Before it prints: who reads it may end the process.
await app.close()
console.log((after - before) / 2_000)
