import { expect, test } from 'vitest'
import { startChild } from '../../support/process/child.ts'

test('a request leaves nothing that waits for all garbage to be collected', async () => {
  await using child = startChild('process/request-memory.ts')
  const { value: kept } = await child.lines.next()
  // The cache of the authorisation of one request takes some 3,000 bytes; on a server, Prisma kept 13,000.
  expect(Number(kept)).toBeLessThan(1_500)
  expect(kept).not.toBe('')
})
