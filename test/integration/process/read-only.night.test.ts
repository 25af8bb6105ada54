import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { reportFault } from '../../support/process/report-fault.ts'
import { startSeededServer } from '../../support/process/seeded-server.ts'
import { tempDir } from '../../support/temp-dir.ts'

const chattr = (flag: '+i' | '-i', path: string) => execFileSync('chattr', [flag, path], { stdio: 'pipe' })

/** A disk cannot be remounted under files that are open; to be immutable refuses writes of root, too. */
const canFreeze = (() => {
  const { path, remove } = tempDir('freeze')
  try {
    chattr('+i', path)
    chattr('-i', path)
    return true
  } catch {
    return false
  } finally {
    remove()
  }
})()

it.skipIf(!canFreeze)(
  'a data directory that becomes read-only refuses writes, answers reads, and heals by itself (needs chattr)',
  { timeout: 600_000 },
  async () => {
    const storage = await createStorage({ embedded: true })
    const env = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: storage.dataDir, LOG_LEVEL: 'fatal', INFERENCE: 'builtin' }
    await using seeded = await startSeededServer(env, { timeoutMs: 300_000 })
    const { call, process: server } = seeded
    const ingest = (id: string) =>
      call('POST', '/v1/ingest', { units: [{ scope: 'harbor/general', external_id: id, text: id }] })
    expect((await ingest('before')).status).toBe(200)

    const refused = { status: 503, body: { error: 'storage_unavailable', status: 503, detail: expect.any(String) } }
    chattr('+i', storage.dataDir)
    try {
      expect(await ingest('meanwhile')).toEqual(refused)
      expect(await call('POST', '/v1/scopes', { scope: 'meanwhile' })).toEqual(refused)
      const search = await call('POST', '/v1/search', { q: 'ferry', top_k: 3 })
      expect([search.status, search.body.hits.length]).toEqual([200, 3])
      expect((await call('GET', '/v1/units/before')).status).toBe(200)
    } finally {
      chattr('-i', storage.dataDir)
    }
    const after = await reportFault('disk read-only', '2 writes, 2 reads', () => ingest('after'))
    expect(after.status).toBe(200)
    const found = await Promise.all(
      ['before', 'meanwhile', 'after'].map(async (id) => (await call('GET', `/v1/units/${id}`)).status),
    )
    expect(found).toEqual([200, 404, 200])
    expect((await call('GET', '/v1/audit/verify')).body).toMatchObject({ intact: true })
    server.kill('SIGTERM')
    expect(await server.exited).toEqual({ code: 0, signal: null })
    await storage.remove()
  },
)
