import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tempDir } from '../support/temp-dir.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const tsc = (...args: string[]) =>
  run(join(root, 'node_modules/.bin/tsc'), args, { cwd: folder.path }).then(
    () => '',
    ({ stdout }) => stdout,
  )

const folder = tempDir('strict-types')
beforeAll(async () => {
  const client = join(folder.path, 'node_modules/the-client')
  mkdirSync(client, { recursive: true })
  writeFileSync(join(client, 'package.json'), '{"name": "the-client", "type": "module", "types": "./index.d.ts"}')
  writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}')
  expect(await tsc('-p', join(root, 'clients/typescript'), '--outDir', client)).toBe('')
})
afterAll(() => folder.remove())

const program = `
import { createClient, verifyExport, type SearchAnswer } from 'the-client'
const client = createClient({ baseUrl: 'http://127.0.0.1', token: 'a' })
export const first: Promise<SearchAnswer['hits'][number] | undefined> = client.search({ q: 'a' }).then(({ hits }) => hits[0])
export const verdict: Promise<boolean> = verifyExport(['a']).then(({ ok }) => ok)
// @ts-expect-error a number is not a text
client.search({ q: 1 })
`
const inBrowsers = `${program}
client.search({ q: 'a' }, { signal: AbortSignal.timeout(1) })
createClient({ baseUrl: 'a', fetch: (input, init) => fetch(input, init) }).sources.upload(new Blob(['a']))
// @ts-expect-error a number is not a signal
client.search({ q: 'a' }, { signal: 1 })
`

test.each([
  ['es2022', program],
  ['es2022,dom', inBrowsers],
  ['es2022,webworker', inBrowsers],
])('the types of the client hold in a strict project with nothing but %s', async (lib, text) => {
  writeFileSync(join(folder.path, 'program.ts'), text)
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
  const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', lib, '--types', '']
  expect(await tsc('--ignoreConfig', '--noEmit', ...strict, ...target, 'program.ts')).toBe('')
})
