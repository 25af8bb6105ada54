import { describe, expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/adapters/kv/memory-key-value.ts'
import { keyValueContract } from './key-value.contract.ts'

keyValueContract('memory', async () => createMemoryKeyValue())

describe('the in-memory key-value store', () => {
  it('holds a bounded number of entries and drops the least recently used', async () => {
    const kv = createMemoryKeyValue(3)
    for (const key of ['a', 'b', 'c']) await kv.set(key, key, 60_000)
    await kv.get('a')
    await kv.set('d', 'd', 60_000)
    await kv.set('d', 'd again', 60_000)
    expect(await kv.get('b')).toBeNull()
    expect(await Promise.all(['a', 'c', 'd'].map((key) => kv.get(key)))).toEqual(['a', 'c', 'd again'])
  })

  it('shares nothing between instances', async () => {
    await createMemoryKeyValue().set('k', 'x', 60_000)
    expect(await createMemoryKeyValue().get('k')).toBeNull()
  })
})
