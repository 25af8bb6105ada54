import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Released } from '../../src/adapters/index-embedded/threads/released.ts'

test('a thread that collects does not take the function from another that is about to', async () => {
  new Released(0).add(1)
  await setImmediate()
  await setImmediate()
  expect(runInNewContext('typeof gc')).toBe('function')
})
