import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { boot } from '../../support/boot.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void

// With a server, something of the test runner keeps 9 kB of each request, which a process without it does not (bench/PROFILE.md).
const embedded = test.skipIf(process.env.TEST_DATABASE_URL)

embedded('a request leaves nothing that waits for all garbage to be collected (embedded catalog)', async () => {
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
  const kept = ((await send(2_000)) - before) / 2_000
  await app.close()
  // The cache of the authorisation of one request takes some 3,000 bytes.
  expect(kept).toBeLessThan(1_500)
})
