import { expect, test } from 'vitest'
import { shareRuns } from '../../src/domain/audit/shared-runs.ts'
import type { Namespace } from '../../src/model/registry.ts'

const namespace = (id: string) => ({ id, name: id }) as Namespace

test('callers during a run share the next one, whether the run succeeds or fails', async () => {
  const runs: PromiseWithResolvers<string>[] = []
  const share = shareRuns(() => {
    const run = Promise.withResolvers<string>()
    runs.push(run)
    return run.promise
  })
  const first = share(namespace('a'))
  await expect.poll(() => runs.length).toBe(1)
  const others = [share(namespace('a')), share(namespace('a')), share(namespace('a'))]
  const elsewhere = share(namespace('b'))
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.resolve('of b')
  expect(await elsewhere).toBe('of b')
  runs[0]?.reject(new Error('the first'))
  await expect(first).rejects.toThrow('the first')
  await expect.poll(() => runs.length).toBe(3)
  runs[2]?.resolve('the second')
  expect(await Promise.all(others)).toEqual(['the second', 'the second', 'the second'])
  expect(runs).toHaveLength(3)
})
