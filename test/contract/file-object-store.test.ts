import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createFileObjectStore, removePartials } from '../../src/adapters/objects-fs/file-object-store.ts'
import { objectStoreContract } from './object-store.contract.ts'

const folders: string[] = []
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'objects-'))
  folders.push(folder)
  return folder
}
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true })
})

objectStoreContract('filesystem', async () => createFileObjectStore(join(await newFolder(), 'objects')))

describe('the file object store', () => {
  it('is for this user alone, and leaves no temporary files', async () => {
    const root = join(await newFolder(), 'objects')
    const store = createFileObjectStore(root)
    await store.put('ns/k', Uint8Array.of(1))
    await store.put('ns/k', Uint8Array.of(2))
    const files = await readdir(join(root, 'ns'))
    expect(files).toHaveLength(1)
    expect((await stat(join(root, 'ns', files[0] ?? ''))).mode & 0o777).toBe(0o600)
    expect((await stat(join(root, 'ns'))).mode & 0o777).toBe(0o700)
    expect((await stat(root)).mode & 0o777).toBe(0o700)
  })

  it('removes what a crash broke off, and not what is still written', async () => {
    const root = join(await newFolder(), 'objects')
    await removePartials(root, 0)
    await createFileObjectStore(root).put('k', Uint8Array.of(1))
    const partials = join(root, '.partial')
    expect(await readdir(partials)).toEqual([])
    for (const name of ['old', 'young']) await writeFile(join(partials, name), 'half')
    await utimes(join(partials, 'old'), new Date(0), new Date(0))
    await removePartials(root, 60_000)
    expect(await readdir(partials)).toEqual(['young'])
    await removePartials(root, 0)
    expect(await readdir(partials)).toEqual([])
    expect(await createFileObjectStore(root).get('k')).toHaveLength(1)
  })

  it('throws when the folder can’t be used: an outage is not an absence', async () => {
    const blocked = join(await newFolder(), 'blocked')
    await writeFile(blocked, 'a file, not a folder')
    const store = createFileObjectStore(blocked)
    await expect(store.ping()).rejects.toThrow()
    await expect(store.put('k', Uint8Array.of(1))).rejects.toThrow()
    await expect(store.get('k')).rejects.toThrow()
  })
})
