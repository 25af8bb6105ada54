import { readFileSync } from 'node:fs'
import { appendFile, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createFileAnchor } from '../../src/adapters/anchor-fs/file-anchor.ts'
import { startChild } from '../support/process/child.ts'
import { tempDir } from '../support/temp-dir.ts'
import { all, auditAnchorContract, checkpointOf } from './audit-anchor.contract.ts'

/** By this process so far, from files and pipes (proc(5)). */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

const folders: ReturnType<typeof tempDir>[] = []
function newDirectory(): string {
  const folder = tempDir('anchor')
  folders.push(folder)
  return join(folder.path, 'not', 'yet', 'there')
}
afterAll(() => {
  for (const folder of folders) folder.remove()
})

auditAnchorContract('filesystem', async () => {
  const directory = newDirectory()
  return { open: () => createFileAnchor(directory) }
})

describe('the directory of checkpoints', () => {
  const fill = async (sizes: readonly number[]) => {
    const directory = newDirectory()
    const anchor = createFileAnchor(directory)
    for (const size of sizes) await anchor.append(checkpointOf('ns_1', size))
    const kept = async () => (await all(anchor.of('ns_1'))).map(({ size }) => size)
    const newest = async () => (await all(anchor.newest())).map(({ size }) => size)
    return { directory, file: join(directory, 'ns_1.ndjson'), anchor, kept, newest }
  }

  it('has a line of JSON for each, for this user alone', async () => {
    const { directory, file } = await fill([3, 4])
    const lines = (await readFile(file, 'utf8')).split('\n')
    const { note, time } = checkpointOf('ns_1', 3)
    expect(JSON.parse(lines[0] ?? '')).toEqual({ namespace_id: 'ns_1', size: 3, time, note })
    expect(lines).toHaveLength(3)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
  })

  it('only ever grows, and not by what it holds', async () => {
    const { file, anchor } = await fill([3, 4])
    const before = await readFile(file, 'utf8')
    await anchor.append(checkpointOf('ns_1', 4))
    expect(await readFile(file, 'utf8')).toBe(before)
    await anchor.append(checkpointOf('ns_1', 2))
    const after = await readFile(file, 'utf8')
    expect(after.length).toBeGreaterThan(before.length)
    expect(after.startsWith(before)).toBe(true)
  })

  it('passes over a line cut short anywhere, and starts the next below it', async () => {
    const whole = (await stat((await fill([1, 2, 3])).file)).size
    const shorter = (await stat((await fill([1, 2])).file)).size
    for (let end = shorter; end < whole; end += 1 + Math.floor((whole - shorter) / 12)) {
      const { file, anchor, kept, newest } = await fill([1, 2, 3])
      await truncate(file, end)
      expect({ kept: await kept(), newest: await newest() }, `cut at ${end}`).toEqual({ kept: [1, 2], newest: [2] })
      await anchor.append(checkpointOf('ns_1', 4))
      expect({ kept: await kept(), newest: await newest() }, `cut at ${end}`).toEqual({ kept: [1, 2, 4], newest: [4] })
      expect((await stat(file)).size).toBe(whole - shorter + end + (end === shorter ? 0 : 1))
    }
  })

  it('finds the newest behind a long run of rubbish', async () => {
    const { file, newest, kept } = await fill([1, 2])
    await appendFile(file, `${'x'.repeat(100_000)}\n{"size": 9}\n${'\0'.repeat(100)}`)
    expect(await newest()).toEqual([2])
    expect(await kept()).toEqual([1, 2])
  })

  it('takes no line of another namespace, and no other files, for its own', async () => {
    const { directory, file, newest, kept } = await fill([1])
    const { namespaceId: namespace_id, ...rest } = checkpointOf('ns_2', 50)
    await appendFile(file, `${JSON.stringify({ namespace_id, ...rest })}\n`)
    await writeFile(join(directory, 'notes about it.txt'), 'kept here by an operator')
    await writeFile(join(directory, '.ndjson'), '')
    await writeFile(join(directory, 'ns_3.ndjson'), '')
    expect(await newest()).toEqual([1])
    expect(await kept()).toEqual([1])
  })

  it('reads ends of files only for the newest', async () => {
    const { file, newest } = await fill([1])
    const line = (size: number) => `${JSON.stringify({ namespace_id: 'ns_1', size, time: 1, note: 'n'.repeat(200) })}\n`
    await writeFile(file, Array.from({ length: 200_000 }, (_, i) => line(i)).join(''))
    const before = bytesRead()
    expect(await newest()).toEqual([199_999])
    // Of 50 MB.
    expect(bytesRead() - before).toBeLessThan(5_000_000)
  })

  it('fails when the place can’t be used: an outage is not an absence', async () => {
    const directory = newDirectory()
    await mkdir(join(directory, '..'), { recursive: true })
    await writeFile(directory, 'a file, not a folder')
    const anchor = createFileAnchor(directory)
    await expect(anchor.append(checkpointOf('ns_1', 1))).rejects.toThrow()
    await expect(all(anchor.newest())).rejects.toThrow()
    await expect(all(anchor.of('ns_1'))).rejects.toThrow()
  })

  it('keeps all that was durable through kill -9, from two processes at once', async () => {
    const { directory, kept, newest } = await fill([])
    const acknowledged: number[] = []
    for (let round = 0; round < 3; round++) {
      await using even = startChild('database/append-forever.ts', directory, `${1 + round * 100_000}`)
      await using odd = startChild('database/append-forever.ts', directory, `${50_001 + round * 100_000}`)
      const heard = [even, odd].map(async ({ lines }) => {
        for await (const line of lines) acknowledged.push(Number(line))
      })
      await expect.poll(() => acknowledged.length).toBeGreaterThan(20 * (round + 1))
      await setTimeout(20 + 17 * round)
      for (const child of [even, odd]) child.process.kill('SIGKILL')
      await Promise.all(heard)
    }
    expect(await kept()).toEqual(expect.arrayContaining(acknowledged))
    const [largest = 0] = await newest()
    expect(largest).toBe((await kept()).at(-1))
  })
})
