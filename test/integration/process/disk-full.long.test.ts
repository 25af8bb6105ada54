import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { reportFault } from '../../support/process/report-fault.ts'
import { startSeededServer } from '../../support/process/seeded-server.ts'
import { failedStart, startServerProcess } from '../../support/process/server-process.ts'
import { canMount, mountTmpfs } from '../../support/process/tmpfs.ts'

const pngOf = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')

it.skipIf(!canMount)(
  'a full disk refuses writes, keeps answering reads, heals by itself, and stops and starts cleanly (needs the right to mount)',
  { timeout: 600_000 },
  async () => {
    const storage = await createStorage({ embedded: true })
    await using disk = mountTmpfs('200m')
    const dataDir = join(disk.path, 'data')
    cpSync(storage.dataDir, dataDir, { recursive: true })
    await storage.remove()
    const env = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, INFERENCE: 'builtin' }
    await using seeded = await startSeededServer(env)
    const { admin, call, process: server } = seeded
    const ingest = (text: string) =>
      call('POST', '/v1/ingest', { units: [{ scope: 'harbor/general', external_id: text, text }] })
    const search = () => call('POST', '/v1/search', { q: 'ferry', top_k: 3 })
    expect((await ingest('before')).status).toBe(200)

    disk.fill()
    const full = { status: 503, body: { error: 'storage_full', status: 503, detail: expect.stringContaining('full') } }
    for (const round of [1, 2, 3]) {
      expect(await ingest(`full ${round}`)).toEqual(full)
      expect(await call('POST', '/v1/scopes', { scope: `full/${round}` })).toEqual(full)
      expect(await call('POST', '/v1/units:delete', { ids: ['before'] })).toEqual(full)
      expect(await call('POST', '/v1/principals', {})).toEqual(full)
      expect([(await search()).status, (await search()).body.hits.length]).toEqual([200, 3])
      expect((await call('GET', '/v1/units?limit=5')).status).toBe(200)
    }
    const query = 'mutation($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }'
    const source = await call('POST', '/graphql', { query, variables: { input: { data: pngOf(100_000) } } })
    expect(source.body.errors?.[0].extensions).toMatchObject({ code: 'storage_full', status: 503 })
    const signUp = { name: 'Mira', email: 'mira@example.com', password: 'the cat is called Bollard' }
    expect((await call('POST', '/api/auth/sign-up/email', signUp)).body).toMatchObject({ error: 'storage_full' })
    expect((await call('GET', '/v1/health')).body.bindings.catalog).toBe('pglite')

    disk.empty()
    const after = await reportFault('disk full', '15 writes, 6 reads', () => ingest('after'))
    expect(after.status).toBe(200)
    const found = async (id: string) => (await call('GET', `/v1/units/${encodeURIComponent(id)}`)).status
    expect([await found('before'), await found('after'), await found('full 1')]).toEqual([200, 200, 404])

    disk.fill()
    expect(await ingest('full again')).toEqual(full)
    server.kill('SIGTERM')
    expect(await server.exited).toEqual({ code: 0, signal: null })
    const failed = await failedStart(env)
    expect([failed.exit.code, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`the data directory ${dataDir} is full; free at least \\d+ MiB`)),
    ])

    disk.empty()
    await using next = await startServerProcess(env)
    const headers = { authorization: `Bearer ${admin}` }
    const kept = await fetch(`${next.url}/v1/units/after`, { headers })
    const verified = await fetch(`${next.url}/v1/audit/verify`, { headers })
    expect([kept.status, await verified.json()]).toEqual([200, expect.objectContaining({ intact: true })])
    next.kill('SIGTERM')
    expect((await next.exited).code).toBe(0)
  },
)
