import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { version } from '../../../src/version.ts'
import { atNight } from '../../support/amounts.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'
import { tempDir } from '../../support/temp-dir.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = tempDir('package')
afterAll(() => folder.remove())

const timeout = 900_000
const megabyte = 1024

/** Disk space in KiB, as `du -sk` counts it. */
const spaceOf = (path: string) => Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0])

/** Without the checkout's programs: npm and the service run on the Node of the machine. */
const path = (process.env.PATH ?? '')
  .split(':')
  .filter((part) => !part.includes('node_modules'))
  .join(':')
const env = { PATH: path, HOME: process.env.HOME ?? '', LOG_LEVEL: 'warn' }

it('packs a program that a fresh folder installs and runs, without building anything', { timeout }, () => {
  const run = (program: string, args: string[], cwd: string) =>
    execFileSync(program, args, { cwd, env, encoding: 'utf8' })
  execFileSync(process.execPath, ['scripts/package/build.ts'], { cwd: root })
  // Its scripts would build what the checkout has already.
  const model = 'multimodal-retrieval-minilm-l6-v2'
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder.path]
  run('npm', pack, root)
  if (atNight) run('npm', [...pack, '--workspace', model], root)
  const tarball = join(folder.path, `multimodal-retrieval-${version}.tgz`)
  // By day without the model: its package has no code.
  const weights = atNight ? [join(folder.path, `${model}-1.0.0.tgz`)] : []
  expect(statSync(tarball).size).toBeLessThanOrEqual(15 * 2 ** 20)
  const names = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).split('\n')
  expect(names).toEqual(
    expect.arrayContaining([
      'package/dist/bin.js',
      'package/dist/adapters/index-embedded/kernel/kernel.wasm',
      'package/dist/adapters/catalog/generated/client.js',
      'package/console/dist/index.html',
      expect.stringMatching(/^package\/dist\/http\/reference\/dist\/scalar-[\d.]+\/standalone\.esm\.js\.br$/),
      // The licences of what is packed as a part of a bundle.
      expect.stringMatching(/^package\/dist\/http\/reference\/dist\/scalar-[\d.]+\/LICENSE$/),
      'package/console/dist/LICENSES.md',
      'package/dist/packages/LICENSES.md',
      'package/dist/packages/@prisma/client/LICENSE',
      'package/dist/packages/pdfjs-dist/LICENSE',
    ]),
  )
  expect(names.filter((name) => /\.ts$/.test(name))).toEqual([])

  const home = join(folder.path, 'app')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"name": "app", "private": true}')
  // Without scripts nothing can be built.
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  run('npm', ['install', ...quietly, tarball, ...weights], home)
  expect(spaceOf(join(home, 'node_modules')) / megabyte).toBeLessThanOrEqual(600)
  // The part of pdf.js in it reads files without the canvas that pdf.js would bring.
  const lines = ['The bilge pump of the Avocet was replaced.'].map((text) => ({ x: 50, y: 700, text }))
  writeFileSync(join(home, 'pump.pdf'), makePdf([{ lines }]))
  const program = join(home, 'node_modules/.bin/multimodal-retrieval')
  expect(run(program, ['--version'], home)).toBe(`multimodal-retrieval ${version}\n`)
  const script = `
    "$0" serve --host 127.0.0.1 --port 0 --data-dir data > out & server=$!
    trap 'kill $server; wait $server' EXIT
    for _ in $(seq 240); do grep -q '^  to begin' out && break; sleep 0.5; done
    export SVC_URL=$(sed -n 's/^  address *\\(http:[^ ]*\\) .*/\\1/p' out)
    "$0" seed --out seed.json
    export SVC_TOKEN=$(grep -o 'svc_sk_admin[^"]*' seed.json)
    "$0" search 'thermal photo of the battery pack' --json > hits.json
    "$0" ingest pump.pdf --scope harbor/backend --json > ingested.json
    "$0" search 'bilge pump replaced' --json > pump.json
    "$0" search any --env-file nowhere 2> missing.txt || echo "exit $?" >> missing.txt
    curl -sf -o page.html -H 'accept: text/html' "$SVC_URL/"
    curl -sf -o reference.html "$SVC_URL/reference"
    "$0" backup copy --data-dir data > backup.txt`
  run('bash', ['-euc', script, program], home)
  const { hits, trace } = JSON.parse(readFileSync(join(home, 'hits.json'), 'utf8'))
  expect(hits.length).toBeGreaterThan(0)
  expect(trace.degraded).toEqual([])
  // The model of the second package embeds.
  if (atNight) expect(trace.legs.map(({ leg }: { leg: string }) => leg)).toContain('vector:visual')
  const [first] = JSON.parse(readFileSync(join(home, 'pump.json'), 'utf8')).hits
  expect(first.text).toBe(lines[0]?.text)
  expect(readFileSync(join(home, 'out'), 'utf8')).not.toMatch(/warning/i)
  // Not Node's own flag of that name, with another message and another code.
  expect(readFileSync(join(home, 'missing.txt'), 'utf8')).toBe('search: --env-file: there is no file nowhere\nexit 2\n')
  expect(readFileSync(join(home, 'page.html'), 'utf8')).toContain('<script')
  expect(readFileSync(join(home, 'reference.html'), 'utf8')).toContain('<script')
  expect(readFileSync(join(home, 'backup.txt'), 'utf8')).toMatch(/^backed up/)
})
