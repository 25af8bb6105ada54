/**
 * Removes from `node_modules` what nothing here uses and what takes half of its space: the query compilers of other databases,
 * command-line tools beside a library, a database browser. Each is a file that its package loads on demand alone, so
 * nothing else misses it. `.ci/run` holds the size.
 */
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))

/** Folders of `node_modules`, and the names of what goes there. */
const unused: readonly (readonly [folder: string, names: RegExp])[] = [
  // Of `assemblyscript`, which uses the library beside them.
  ['binaryen/bin', /./],
  // The catalog is PostgreSQL, and its generated client takes the compiler `fast` as base64.
  ['@prisma/client/runtime', /\.(?:cockroachdb|mysql|sqlite|sqlserver)\.|^query_compiler_small|^wasm-compiler-edge/],
  ['prisma/build', /^query_compiler_.*\.wasm$|^studio\./],
  // `prisma studio` and `prisma dev`.
  ['@prisma/studio-core/dist', /^(?:ui$|metafile)/],
  ['@prisma/dev/dist', /^runtime-assets$/],
  ['@prisma/dev/node_modules/@electric-sql/pglite/dist', /\.(?:data|wasm|gz)$/],
  ['elkjs/lib', /./],
  ['@visx', /./],
  ['@types/lodash', /./],
  ['effect', /^src$/],
  ['effect/dist', /^dts$/],
  ['zod', /^src$/],
  // Drawing pages outside of a browser.
  ['@napi-rs/canvas-linux-x64-gnu', /\.node$/],
  ['pdfjs-dist', /^legacy$/],
  ['@base-ui/react', /^docs$/],
  // For `require`, which nothing here uses.
  ['stripe', /^cjs$/],
  ['@graphql-yoga/render-graphiql', /^cjs$/],
  ['effect/dist', /^esm$/],
  // The generated client imports the module.
  ['@prisma/client/runtime', /^query_compiler.*\.js$/],
  ['ai', /^(?:docs|src)$/],
  ['bintrees', /^test$/],
  // The index tells languages by the smallest of four tables.
  ['eld/src/ngrams', /^(?:small|medium|large)\.js$/],
  // Windows of its own that a person looks at.
  ['playwright-core/lib', /^vite$/],
  // The console is rendered in the browser alone.
  ['react-dom/cjs', /server|profiling|test-utils/],
  ['pdfjs-dist', /^web$/],
  // Extensions of the embedded PostgreSQL.
  ['@electric-sql/pglite/dist', /\.tar\.gz$/],
]

for (const [folder, names] of unused) {
  const path = join(modules, folder)
  if (!existsSync(path)) continue
  for (const name of readdirSync(path)) if (names.test(name)) rmSync(join(path, name), { recursive: true, force: true })
}
// A tenth of the space: maps to sources, which only a debugger reads, types for `require`, and what people read.
for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
  if (
    entry.isFile() &&
    /\.(?:js|mjs|cjs|ts|mts|cts|css)\.map$|\.d\.cts$|^(?:CHANGELOG|HISTORY|README)\.md$/i.test(entry.name)
  ) {
    rmSync(join(entry.parentPath, entry.name))
  }
}
shareNode()
share('lightningcss-linux-x64-gnu/lightningcss.linux-x64-gnu.node', '@tailwindcss/node/node_modules')
share('@prisma/schema-engine-wasm/schema_engine_bg.wasm', 'prisma/build', 'schema_engine_bg.wasm')

/** Makes a file that is in two places one file, if both are the same. */
function share(path: string, folder: string, other = path): void {
  const [first, second] = [join(modules, path), join(modules, folder, other)]
  if (!existsSync(first) || !existsSync(second) || !readFileSync(first).equals(readFileSync(second))) return
  const draft = `${second}.draft`
  rmSync(draft, { force: true })
  linkSync(first, draft)
  renameSync(draft, second)
}

/** The package `node` keeps the program twice. */
function shareNode(): void {
  const used = join(modules, 'node/bin/node')
  const folder = join(modules, 'node/node_modules')
  if (!existsSync(used) || !existsSync(folder)) return
  for (const name of readdirSync(folder).filter((entry) => /^node-(?:bin-)?[a-z]+-/.test(entry))) {
    for (const extra of ['include', 'share', 'lib']) rmSync(join(folder, name, extra), { recursive: true, force: true })
    const other = join(folder, name, 'bin/node')
    if (!existsSync(other) || statSync(other).ino === statSync(used).ino) continue
    const draft = `${other}.draft`
    rmSync(draft, { force: true })
    linkSync(used, draft)
    renameSync(draft, join(dirname(other), 'node'))
  }
}
