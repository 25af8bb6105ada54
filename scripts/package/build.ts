/**
 * Writes `dist`, what `npm pack` takes: the service as JavaScript, because Node strips no types below `node_modules`. Files
 * stay at the same depth as in `src`, so that what they find beside themselves is where it was.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformWithOxc } from 'vite'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dist = join(root, 'dist')

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
 * The part of `@prisma/client` that the generated client uses. The package has the compilers of all databases, which is a
 * quarter of the whole installation.
 */
const prisma = join(root, 'node_modules/@prisma/client/runtime')
const runtimeOf = (name: string): string => (name.endsWith('.mjs') ? name : `${name}.cjs`)

function takePrisma(code: string, path: string): string {
  const generated = 'adapters/catalog/generated'
  return code.replaceAll(/(['"])@prisma\/client\/runtime\/([^'"]+)\1/g, (_, quote: string, name: string) => {
    const [from, to] = [
      join(prisma, name.endsWith('.mjs') ? name : `${name}.js`),
      join(dist, generated, 'runtime', runtimeOf(name)),
    ]
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to)
    const relativePath = relative(dirname(path), join(generated, 'runtime', runtimeOf(name)))
    return `${quote}${relativePath.startsWith('.') ? '' : './'}${relativePath}${quote}`
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
  const whole = takePrisma(addressed, path)
  writeFileSync(to, `${shebang}${entries.has(path) ? support : ''}${whole}`)
}

rmSync(dist, { recursive: true, force: true })
const files = await sources()
for (const path of files) await emit(path)
for (const name of ['bin.js', 'older-node.js']) cpSync(join(root, 'scripts/package', name), join(dist, name))
console.log(`dist: ${files.length} files`)
