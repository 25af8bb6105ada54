import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportLog } from '../../../src/cli/audit/command.ts'
import { verifyLog } from '../../../src/cli/audit/verify.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import type { AuditReader } from '../../../src/ports/catalog.ts'
import { superAdminToken } from '../../support/boot.ts'
import { bootTampered, type TamperedApp } from '../../support/database/tampered-log.ts'

const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))
const vectors = (name: string) => fileURLToPath(new URL(`../../vectors/audit/${name}`, import.meta.url))

/** The pages of the log that were read, and whether the second page fails. */
const pages = { read: 0, fail: false }

const watched = (audit: AuditReader): AuditReader => ({
  ...audit,
  between: async (namespace, above, upTo, limit) => {
    pages.read += 1
    if (pages.fail && above > 0) throw new Error('the catalog is gone')
    return audit.between(namespace, above, upTo, limit)
  },
})

let tampered: TamperedApp
let server: RunningServer
let folder: string
let token: string
beforeAll(async () => {
  tampered = await bootTampered(watched)
  server = await startServer(tampered.app.app.handler, {
    host: '127.0.0.1',
    port: 0,
    log: tampered.app.runtime.bindings.log,
    drainMs: 100,
  })
  folder = await mkdtemp(join(tmpdir(), 'audit-cli-'))
  await tampered.log('ship', 2500)
  token = await tampered.app.principal({ id: 'ship-auditor', namespace: 'ship' })
})
afterAll(async () => {
  await server.close()
  await tampered.app.close()
  await rm(folder, { recursive: true })
})

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

async function audit(
  args: readonly string[],
  { stdin = '', env = {} }: { stdin?: string; env?: object } = {},
): Promise<Ran> {
  const { NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [program, 'audit', ...args], {
    env: { NODE_COMPILE_CACHE, ...env },
    timeout: 180_000,
    killSignal: 'SIGKILL',
  })
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { code, stdout, stderr }
}

const exported = (...args: string[]) => audit(['export', '--url', server.url, ...args], { env: { SVC_TOKEN: token } })

describe('verify', () => {
  test('exits with 0, 1 and 2, and says why', async () => {
    const signed = ['--checkpoint', vectors('checkpoint.9.txt'), '--pubkey', vectors('key.txt')]
    const [intact, broken, unchecked] = await Promise.all([
      audit(['verify', vectors('log.ndjson'), ...signed]),
      audit(['verify', vectors('broken.removed.ndjson')]),
      audit(['verify', vectors('no-log.text.ndjson')]),
    ])
    expect(intact).toMatchObject({ code: 0, stderr: '' })
    expect(intact.stdout).toContain('rows 1 to 9 are those that the checkpoint covers; rows 10 to 12 continue them')
    expect(intact.stdout).toMatch(/^rows +12$/m)
    expect(intact.stdout).toContain('9 rows, signed for svc/audit/acme')
    expect(broken).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('row 6 is missing') })
    expect(unchecked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('not checked') })
  })

  test('reads standard input', async () => {
    const stdin = await readFile(vectors('broken.changed.ndjson'), 'utf8')
    expect(await audit(['verify', '-'], { stdin })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('row 5 was changed'),
    })
  })

  test.each([
    { args: [], says: 'audit: verify or export is needed; try --help' },
    { args: ['check'], says: 'audit: "check" is unknown: verify or export is needed' },
    { args: ['verify', 'a', '--unknown'], says: '--unknown' },
  ])('$args is exit 2', async ({ args, says }) => {
    const { code, stdout, stderr } = await audit(args)
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(says) })
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test.each([
    { args: ['verify'], says: 'verify takes one FILE' },
    { args: ['verify', 'a', 'b'], says: 'verify takes one FILE' },
    { args: ['verify', 'a', '--pubkey', 'k'], says: 'go together' },
    { args: ['export'], says: 'a token is needed' },
    { args: ['export', '--url', 'ftp://x'], says: '--url' },
    { args: ['export', '--url', 'http://127.0.0.1:9'], says: 'a token is needed' },
    { args: ['export', '--url', 'http://127.0.0.1:9', '--token', 'x'], says: '--token' },
  ])('$args is wrong usage', async ({ args: [name, ...args], says }) => {
    await expect(name === 'verify' ? verifyLog(args) : exportLog(args, {})).rejects.toThrow(says)
  })

  test('helps', async () => {
    expect(await audit(['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('exit 0  the log is intact'),
    })
  })
})

describe('export', () => {
  test('writes a log that verify finds intact, and broken once a row is changed', async () => {
    const file = join(folder, 'log.ndjson')
    expect(await exported('--out', file)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await readdir(folder)).filter((name) => name.startsWith('log.ndjson'))).toEqual(['log.ndjson'])
    const log = await readFile(file, 'utf8')
    // The last row is the export's own.
    expect(log.split('\n')).toHaveLength(2502)
    expect(await audit(['verify', file])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rows +2501$/m) })
    await writeFile(file, log.replace('"r-2000"', '"r-2001"'))
    expect(await audit(['verify', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('row 2000 was changed'),
    })
  })

  test('brings what a superuser did to the rows', async () => {
    const id = await tampered.log('altered', 30)
    await tampered.sql(`UPDATE audit_row SET detail = '{"units":1e400}' WHERE namespace_id = $1 AND seq = 12`, id)
    const { code, stdout } = await audit(['export', '--url', server.url, '--namespace', 'altered'], {
      env: { SVC_TOKEN: superAdminToken },
    })
    expect(code).toBe(0)
    expect(await audit(['verify', '-'], { stdin: stdout })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('row 12 was changed'),
    })
  })

  test('writes OCSF events to standard output', async () => {
    const tokenFile = join(folder, 'token')
    await writeFile(tokenFile, `${token}\n`)
    const { code, stdout } = await audit(['export', '--url', server.url, '--format', 'ocsf', '--token-file', tokenFile])
    expect(code).toBe(0)
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ class_uid: 6003, time: 1_700_000_000_001 })
  })

  test('that breaks off is an error and leaves no file', async () => {
    pages.fail = true
    const file = join(folder, 'broken.ndjson')
    const ran = await exported('--out', file)
    pages.fail = false
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('the export is not whole') })
    expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([])
  })

  test('says what it was refused for, without the token', async () => {
    const grants = [{ scope: '*', perms: ['read' as const] }]
    const reader = await tampered.app.principal({ id: 'ship-reader', namespace: 'ship', grants })
    for (const [sent, says] of [
      [reader, 'an admin principal of the namespace is required'],
      ['svc_sk_wrong_token', 'a valid token is required: send the header Authorization: Bearer <token>'],
    ] as const) {
      const { code, stderr } = await audit(['export', '--url', server.url], { env: { SVC_TOKEN: sent } })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) })
      expect(stderr).not.toContain(sent)
    }
    const unreachable = await audit(['export', '--url', 'http://127.0.0.1:9'], { env: { SVC_TOKEN: token } })
    expect(unreachable).toMatchObject({ code: 2, stdout: '' })
  })
})

test('a client that hangs up stops the reading', async () => {
  await tampered.log('endless', 20_000)
  const { body } = await tampered.app.graphql(
    'mutation { exportAudit { url } }',
    {},
    {
      token: superAdminToken,
      namespace: 'endless',
    },
  )
  pages.read = 0
  const response = await fetch(new URL(body.data.exportAudit.url, server.url))
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  const readMeanwhile = async () => {
    const { read } = pages
    await new Promise((resolve) => setTimeout(resolve, 300))
    return pages.read - read
  }
  await expect.poll(readMeanwhile).toBe(0)
  expect(pages.read).toBeLessThan(20)
})
