import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { createFaultyIndex } from '../../support/index/faulty-index.ts'

let index: ReturnType<typeof createFaultyIndex>
let app: TestApp

beforeAll(async () => {
  index = createFaultyIndex()
  app = await boot({ config: { ingestWaitMs: 50_000 }, bindings: { vectors: index.vectors, texts: index.texts } })
})
afterAll(async () => {
  await app.close()
  await index.close()
})

/** More than a principal may write at a time. */
const large = Array.from({ length: 9 }, () => ({ text: 'all hands on deck '.repeat(5_600), scope: 'a' }))
const small = [{ text: 'ahoy', scope: 'a' }]

const ingest = async (token: string, units: object[]) => {
  const reply = await app.call('POST', '/v1/ingest', { token, body: { units } })
  return [reply.status, reply.body.indexed, reply.body.seq]
}
const headOf = async (namespace: string) => {
  const { access, changes } = app.runtime.bindings.catalog
  return changes.headSeq((await access.namespace(namespace))?.namespace.id ?? '')
}

test('a large batch is written while the indexes take the one before, and no further one of that principal', async () => {
  const token = await app.principal({ id: 'busy', namespace: 'turns', tier: 'pro' })
  const other = await app.principal({ id: 'other', namespace: 'turns' })
  index.faults.vectors.hold()
  index.faults.texts.hold()
  const sent = [1, 2, 3].map(() => ingest(token, large))
  await expect.poll(() => headOf('turns')).toBe(18)
  const beside = ingest(other, small)
  await expect.poll(() => headOf('turns')).toBe(19)
  await sleep(100)
  expect(await headOf('turns')).toBe(19)
  index.faults.vectors.release()
  index.faults.texts.release()
  expect(await beside).toEqual([200, true, 19])
  const answers = await Promise.all(sent)
  expect(answers.toSorted(([, , a], [, , b]) => a - b)).toEqual([9, 18, 28].map((seq) => [200, true, seq]))
})

test('the indexes take new Units as they were written, and ask the catalog for nothing', async () => {
  const token = await app.principal({ id: 'writer', namespace: 'offered' })
  await ingest(token, small)
  const { changes } = app.runtime.bindings.catalog
  const after = vi.spyOn(changes, 'after')
  const answers = await Promise.all([1, 2, 3].map(() => ingest(token, small)))
  expect(answers.toSorted()).toEqual([2, 3, 4].map((seq) => [200, true, seq]))
  expect(after).not.toHaveBeenCalled()
})
