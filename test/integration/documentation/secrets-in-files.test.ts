import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { boot } from '../../support/boot.ts'
import { listen } from '../../support/process/http-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { examplesOf, pages, readPage } from '../../support/texts/documents.ts'

const run = promisify(execFile)
const curl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)
const quickstart = fileURLToPath(new URL('../../../examples/quickstart.sh', import.meta.url))
const before = '{"tokens": {"admin": "the only one"}}'

/** Runs a script in a folder with a seed.json, at a service that refuses to seed or does it. */
async function withSeedFile(script: readonly string[], seeds: boolean) {
  const app = await boot()
  const server = await listen(app)
  const folder = tempDir('secrets')
  try {
    if (!seeds) await app.principal({ id: 'someone', namespace: 'somewhere' })
    writeFileSync(join(folder.path, 'seed.json'), before)
    const [program = '', ...args] = script.map((part) => part.replaceAll('http://127.0.0.1:8787', server.url))
    const { PATH } = process.env
    const ended = run(program, args, { cwd: folder.path, env: { PATH, SVC_URL: server.url } })
    const ok = await ended.then(
      () => true,
      () => false,
    )
    const files = readdirSync(folder.path).sort()
    return { ok, files: files.map((name) => [name, readFileSync(join(folder.path, name), 'utf8')] as const) }
  } finally {
    folder.remove()
    await server.close()
    await app.close()
  }
}

describe('files of secrets', () => {
  const [seed] = examplesOf(readPage('README.md')).filter(({ command }) => command.includes('/v1/admin/seed'))

  it.skipIf(!curl)('stay as they are when the service refuses (needs curl)', async () => {
    for (const script of [[quickstart], ['bash', '-c', seed?.command ?? '']]) {
      const { files } = await withSeedFile(script, false)
      expect(files).toEqual([['seed.json', before]])
    }
  })

  it.skipIf(!curl)('of another service are kept when this one answers (needs curl)', async () => {
    const { ok, files } = await withSeedFile([quickstart], true)
    expect(ok).toBe(true)
    expect(files.map(([name]) => name)).toEqual([expect.stringMatching(/^seed\.\d+\.json$/), 'seed.json'])
    expect(files[0]?.[1]).toBe(before)
    expect(JSON.parse(files[1]?.[1] ?? '').tokens.admin).toEqual(expect.any(String))
  })

  it('are never opened by an example before there is an answer', () => {
    // A shell empties the file behind `>` before curl begins.
    const examples = pages.flatMap((page) => examplesOf(readPage(page)).map(({ command }) => `${page}: ${command}`))
    const emptied = [...examples, readFileSync(quickstart, 'utf8')].flatMap((text) =>
      [...text.matchAll(/\bcurl\b(?:[^|>\n]|\\\n)*(?<!-)>\s*(\S+)/g)].map(([, file]) => file),
    )
    // A signed note is for everyone.
    expect(emptied).toEqual(['checkpoint.json'])
  })
})
