import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCommand } from '../../../src/cli/transfer/command.ts'
import { boot } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { startChild } from '../../support/process/child.ts'
import { environmentOf } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { transfer } from '../../support/transfer/cli.ts'
import { tablesOf } from '../../support/transfer/tables.ts'

const folder = tempDir('transfer-command')
const file = (name: string) => join(folder.path, name)
let source: TestStorage
let target: TestStorage

beforeAll(async () => {
  source = await createStorage({ embedded: true })
  target = await createStorage()
  const app = await boot({ storage: source })
  const token = await app.principal({ id: 'clerk', namespace: 'office' })
  const units = Array.from({ length: 50 }, (_, i) => ({ text: `memo ${i}`, acl_groups: ['*'] }))
  await app.call('POST', '/v1/ingest', { token, scope: 'office', body: { units } })
  // An embedded catalog allows only one process at a time.
  const locked = await transfer(source, 'export', '--namespace', 'office', file('locked'))
  expect(locked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('in use by another process') })
  await app.close({ keep: true })
  expect(await transfer(source, 'export', '--namespace', 'office', file('office.gz'))).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await Promise.all([source.remove(), target.remove()])
  folder.remove()
})

test('leaves no file that is not whole, and replaces none', async () => {
  const again = await transfer(source, 'export', '--all', file('office.gz'))
  expect(again).toMatchObject({ code: 2, stdout: '', stderr: `transfer: ${file('office.gz')} exists already\n` })
  const nowhere = await transfer(source, 'export', '--namespace', 'nowhere', file('nowhere'))
  expect(nowhere).toMatchObject({ code: 1, stdout: '', stderr: 'transfer: there is no namespace "nowhere"\n' })
  expect(readdirSync(folder.path)).toEqual(['office.gz'])
})

test('a damaged file is 1, one that cannot be read is 2', async () => {
  const bytes = readFileSync(file('office.gz'))
  writeFileSync(file('cut.gz'), bytes.subarray(0, -100))
  const damage = Buffer.from(bytes)
  damage[bytes.length >> 1] = (damage[bytes.length >> 1] ?? 0) ^ 255
  writeFileSync(file('damaged.gz'), damage)
  for (const name of ['cut.gz', 'damaged.gz']) {
    const { code, stderr } = await transfer(target, 'import', file(name))
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^transfer: the file is [^\n]*\n$/) })
  }
  expect(await transfer(target, 'import', file('missing'))).toMatchObject({ code: 2, stdout: '' })
})

test('an import that is killed leaves the catalog as it was, and comes through the next time', async () => {
  const before = await withCatalogRows(target, tablesOf)
  writeFileSync(file('office'), gunzipSync(readFileSync(file('office.gz'))))
  {
    await using child = startChild('database/import-halfway.ts', file('office'), JSON.stringify(environmentOf(target)))
    expect(await child.lines.next()).toMatchObject({ value: 'halfway' })
  }
  expect(await withCatalogRows(target, tablesOf)).toEqual(before)
  // The file name does not matter.
  const { code, stdout } = await transfer(target, 'import', file('office'))
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^imported +office/) })
  expect(stdout).toMatch(/^unit +50$/m)
  // The first deployment signed with its own key.
  expect(stdout).toMatch(/^but +AUDIT_SIGNING_KEY does not list who signed the log of office$/m)
})

test.each([
  { args: [], says: 'export or import is needed; try --help' },
  { args: ['move'], says: '"move" is unknown: export or import is needed' },
  { args: ['export', 'f'], says: '--namespace NAME or --all' },
  { args: ['export', '--all', '--namespace', 'x', 'f'], says: '--namespace NAME or --all' },
  { args: ['export', '--all'], says: 'one FILE' },
  { args: ['import'], says: 'one FILE' },
  { args: ['import', 'f', 'g'], says: 'one FILE' },
  { args: ['import', '--all', 'f'], says: '--all' },
])('$args is wrong usage', ({ args, says }) => {
  expect(() => readCommand(args)).toThrow(says)
})

test('wrong usage is 2, in one line', async () => {
  const { code, stdout, stderr } = await transfer(target)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe('transfer: export or import is needed; try --help\n')
})

test('without data nothing is exported, and none are made', async () => {
  const nowhere = { ...source, dataDir: file('nothing') }
  const { code, stderr } = await transfer(nowhere, 'export', '--all', file('none'))
  expect([code, stderr]).toEqual([
    2,
    `transfer: ${file('nothing')} holds no catalog; set DATA_DIR or --data-dir to the data\n`,
  ])
  expect(readdirSync(folder.path)).not.toContain('nothing')
  const flag = await transfer(nowhere, 'export', '--all', file('flag'), '--data-dir', source.dataDir)
  expect(flag).toMatchObject({ code: 0, stdout: expect.stringMatching(/^exported +office/) })
})

test('a catalog that is out of reach is 2', async () => {
  const nowhere = {
    ...source,
    catalog: { kind: 'postgresql' as const, url: 'postgres://nobody:hidden@127.0.0.1:1/none' },
  }
  const { code, stdout, stderr } = await transfer(nowhere, 'export', '--all', file('unreached'))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/ECONNREFUSED|EACCES/)
  expect(stderr).not.toContain('hidden')
})

test('helps', async () => {
  expect(await transfer(target, '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('exit 0  done') })
})
