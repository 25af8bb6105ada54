/**
 * Brings the program of the page `/reference`: from the package of Scalar the bundle for browsers, which imports nothing. The
 * whole package with what it depends on would be a third of the installation.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const version = '1.72.1'
/** Of the package, as the registry publishes it. */
const integrity = 'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=='

const dist = fileURLToPath(new URL('../../src/http/reference/dist/', import.meta.url))
/** Its name is part of the addresses, so browsers may keep the files for ever. */
const folder = join(dist, `scalar-${version}`)

/** Scalar's licence asks that it goes with every copy. The package of the registry lacks it. */
const licence = fileURLToPath(new URL('scalar-license.txt', import.meta.url))

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
/** The highest level takes ten times as long, for a twentieth less. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** The package in `directory`, unpacked as far as it is needed. */
function unpack(directory: string): string {
  const flags = [
    '--pack-destination',
    directory,
    '--dry-run=false',
    '--json=false',
    '--ignore-scripts',
    '--loglevel=error',
  ]
  execFileSync('npm', ['pack', `@scalar/api-reference@${version}`, '--prefer-offline', ...flags], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [name = ''] = readdirSync(directory)
  const found = `sha512-${createHash('sha512')
    .update(readFileSync(join(directory, name)))
    .digest('base64')}`
  if (found !== integrity) throw new Error(`@scalar/api-reference@${version} is ${found} instead of ${integrity}`)
  const inside = 'package/dist/browser'
  const wanted = [`${inside}/standalone.esm.js`, `${inside}/chunks`]
  execFileSync('tar', ['xzf', name, ...wanted], { cwd: directory })
  return join(directory, inside)
}

/** Writes each script, with `.br` and `.gz` beside it: the service compresses nothing while it answers. */
async function write(from: string, to: string): Promise<void> {
  const scripts = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'))
  for (const path of scripts) {
    const code = readFileSync(join(from, path), 'utf8').replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, '\n')
    const target = join(to, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, code)
    const [br, gz] = await Promise.all([brotli(code, options), zip(code)])
    writeFileSync(`${target}.br`, br)
    writeFileSync(`${target}.gz`, gz)
  }
}

async function build(): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'reference-'))
  try {
    const bundle = unpack(work)
    const draft = `${folder}.draft`
    rmSync(dist, { recursive: true, force: true })
    await write(bundle, draft)
    cpSync(licence, join(draft, 'LICENSE'))
    renameSync(draft, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

if (!existsSync(join(folder, 'LICENSE'))) {
  try {
    await build()
  } catch (error) {
    // An installation without a network works, but for this page, which says what to do.
    if (!process.argv.includes('--optional')) throw error
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n')
    console.warn(`/reference is not built (${basename(folder)}: ${reason}); run npm run build:reference`)
  }
}
