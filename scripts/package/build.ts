/**
 * Writes `dist`, what `npm start` runs and `npm pack` takes: the service as JavaScript, because Node strips no types below
 * `node_modules`. Files stay at the same depth as in `src`, so that what they find beside themselves is where it was.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transformWithOxc } from 'vite'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Takes the place of `dist` when it is complete: a service may be running from that. */
const dist = join(root, 'dist.tmp')

/** The oldest Node that `engines` of package.json allows. */
const target = 'node20'

/** Programs and threads begin in these files: they load what an older Node lacks. */
const entries: ReadonlySet<string> = new Set(await threadsOf())

async function sources(): Promise<string[]> {
  const found: string[] = []
  for await (const file of glob('**/*', { cwd: join(root, 'src'), withFileTypes: true })) {
    const path = join(file.parentPath, file.name).slice(join(root, 'src').length + 1)
    if (file.isFile() && !path.includes('kernel/assembly/')) found.push(path)
  }
  return found
}

/** Files that others start by their address. */
async function threadsOf(): Promise<string[]> {
  const found = ['main.ts']
  for (const path of await sources()) {
    if (!path.endsWith('.ts')) continue
    const text = readFileSync(join(root, 'src', path), 'utf8')
    for (const [, name = ''] of text.matchAll(/new URL\('(\.[^']*\.ts)', import\.meta\.url\)/g)) {
      found.push(join(dirname(path), name))
    }
  }
  return found
}

/**
 * Packages of which the service needs little: with all that is in them, an installation would be 160 MB larger. What it needs goes
 * into `dist`, with its licence, and they are dependencies of development. Of some, the modules that are imported and the files
 * named here are copied, and the others are bundled.
 */
const copied: Readonly<Record<string, readonly string[]>> = {
  // It has the compilers of all databases.
  '@prisma/client': [],
  // It has everything twice, and brings a canvas for drawing, which the service does not do.
  'pdfjs-dist': ['cmaps', 'iccs', 'legacy/build/pdf.worker.mjs', 'standard_fonts', 'wasm'],
}
const bundled = ['@ai-sdk/openai-compatible', '@aws-sdk/client-s3', 'ai', 'stripe']

const packages = join(dist, 'packages')
const addresses = new RegExp(
  String.raw`((?:from|import|resolve)[ (]*)(['"])(${[...Object.keys(copied), ...bundled].join('|')})(/[^'"]+)?\2`,
  'g',
)

/** Modules of these packages by their place in `dist`. */
function takePackages(code: string, path: string): string {
  return code.replaceAll(addresses, (_, before: string, quote: string, name: string, part = '/index.js') => {
    const file = `${name}${/\.\w+$/.test(part) ? part : `${part}.js`}`
    if (!bundled.includes(name)) takeFile(file)
    const address = relative(dirname(path), join('packages', file))
    return `${before}${quote}${address.startsWith('.') ? '' : './'}${address}${quote}`
  })
}

const takeFile = (file: string) => cpSync(join(root, 'node_modules', file), join(packages, file), { recursive: true })

function copyPackages(): void {
  for (const [name, files] of Object.entries(copied)) {
    for (const file of ['package.json', 'LICENSE', ...files]) takeFile(join(name, file))
  }
  // Without a canvas, it would warn of it when it is loaded.
  const file = join(packages, 'pdfjs-dist/legacy/build/pdf.mjs')
  const code = readFileSync(file, 'utf8')
  const without = code.replace(
    /(if \(isNodeJS\) \{\n) {2}let canvas;\n[\s\S]*?(?= {2}if \(!globalThis\.navigator)/,
    '$1',
  )
  if (without === code) throw new Error(`${file} does not ask for a canvas any more`)
  writeFileSync(file, without)
}

async function bundlePackages(): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await build({
    ...{ root, configFile: false, publicDir: false, logLevel: 'warn' },
    ssr: { noExternal: true, external: Object.keys(dependencies) },
    build: {
      ...{ ssr: true, target, outDir: packages, emptyOutDir: false, minify: true },
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: {
        input: Object.fromEntries(bundled.map((name) => [name, name])),
        output: { entryFileNames: '[name]/index.js', chunkFileNames: 'shared/[name]-[hash].js' },
      },
    },
  })
}

const javaScript = (path: string): string => path.replace(/\.ts$/, '.js')

async function emit(path: string): Promise<void> {
  const [from, to] = [join(root, 'src', path), join(dist, javaScript(path))]
  mkdirSync(dirname(to), { recursive: true })
  if (!path.endsWith('.ts')) return cpSync(from, to)
  const text = readFileSync(from, 'utf8')
  const { code } = await transformWithOxc(text, from, {
    target,
    sourcemap: false,
    typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
  })
  const depth = path.split('/').length - 1
  const support = `import '${depth === 0 ? './' : '../'.repeat(depth)}older-node.js'\n`
  const [, shebang = '', rest = ''] = /^(#!.*\n)?([\s\S]*)$/.exec(code) ?? []
  const addressed = rest
    .replaceAll(/(new URL\(['"]\.[^'"]*)\.ts(['"],)/g, '$1.js$2')
    .replaceAll(
      /^import (\w+) from "@oxc-project\/runtime\/helpers\/(\w+)";$/gm,
      'const $1 = globalThis.helpersOfSyntax.$2;',
    )
  writeFileSync(to, `${shebang}${entries.has(path) ? support : ''}${takePackages(addressed, path)}`)
}

rmSync(dist, { recursive: true, force: true })
const files = await sources()
for (const path of files) await emit(path)
copyPackages()
await bundlePackages()
for (const name of ['bin.js', 'older-node.js']) cpSync(join(root, 'scripts/package', name), join(dist, name))
const [place, before] = [join(root, 'dist'), join(root, 'dist-before.tmp')]
if (existsSync(place)) renameSync(place, before)
renameSync(dist, place)
rmSync(before, { recursive: true, force: true })
console.log(`dist: ${files.length} files`)
