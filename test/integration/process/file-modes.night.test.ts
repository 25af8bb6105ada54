import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runProgram } from '../../support/process/run-program.ts'
import { type SeededServer, startSeededServer } from '../../support/process/seeded-server.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** As on a machine that lets others read what is not said otherwise. */
const wrapper = ['sh', '-c', 'umask 000; exec "$0" "$@"']
const timeout = 300_000

let server: SeededServer
let folder: ReturnType<typeof tempDir>
beforeAll(async () => {
  folder = tempDir('modes')
  // A new one: the service itself makes the database.
  const DATA_DIR = join(folder.path, 'data')
  const env = {
    ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', INFERENCE: 'builtin' },
    ...{ DATA_DIR, INDEX_SNAPSHOT_MS: '1', TMPDIR: folder.path },
  }
  server = await startSeededServer(env, { wrapper })
}, timeout)
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder.remove()
})

/** What others than its owner may do something with, at any depth. */
function openToOthers(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
    .map((path) => relative(root, path))
}

it('what the service and its commands write is for its user alone', { timeout }, async () => {
  const data = Buffer.from('# Lamps\n\nThe lamp at the pier is lit at dusk.\n').toString('base64')
  const made = await server.call('POST', '/graphql', {
    query: `mutation { createSource(input: { data: "${data}", mime: "text/markdown" }) { sourceUri } }`,
  })
  const { sourceUri } = made.body.data.createSource
  await server.call('POST', '/graphql', {
    query: `mutation { ingestDocument(input: { sourceUri: "${sourceUri}", name: "lamps.md", scope: "harbor/general" }) { documentId } }`,
  })
  const checkpoint = await server.call('POST', '/graphql', { query: '{ auditCheckpoint { size } }' })
  expect(checkpoint.body.errors).toBeUndefined()
  const env = { DATA_DIR: join(folder.path, 'data'), SVC_URL: server.process.url, SVC_TOKEN: server.admin }
  const to = join(folder.path, 'out')
  for (const args of [
    ['backup', join(to, 'backup')],
    ['audit', 'export', '--out', join(to, 'log.ndjson'), '--namespace', 'demo'],
    ['restore', join(to, 'backup'), '--data-dir', join(to, 'restored')],
  ]) {
    const ran = await runProgram({ args, env, wrapper })
    expect([ran.code, ran.stderr], args.join(' ')).toEqual([0, ''])
  }
  const written = readdirSync(folder.path, { recursive: true })
  for (const path of [
    'data/catalog/PG_VERSION',
    'data/secrets',
    'out/backup/backup.json',
    'out/log.ndjson',
    'out/restored',
  ])
    expect(written).toContain(path)
  expect(openToOthers(folder.path)).toEqual([])
})
