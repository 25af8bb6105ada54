import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** PostgreSQL and its `initdb`, compiled. Threads share the code of a module that they are given. */
export interface Modules {
  pgliteWasmModule: WebAssembly.Module
  initdbWasmModule: WebAssembly.Module
}

/** An empty custom section (WebAssembly core specification, 5.5.3). */
const emptySection = Uint8Array.of(0, 2, 1, 0x78)

/**
 * V8 keeps what it compiled of a module, optimised or not, for all that have the same bytes, so those for making a catalog
 * have some more.
 */
export async function compileModules({ isCreation }: { isCreation: boolean }): Promise<Modules> {
  const [pgliteWasmModule, initdbWasmModule] = await Promise.all([
    compile('pglite.wasm', isCreation ? emptySection : undefined),
    compile('initdb.wasm'),
  ])
  return { pgliteWasmModule, initdbWasmModule }
}

/** Of the package. */
export const packageFolder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))

async function compile(name: string, more = new Uint8Array()): Promise<WebAssembly.Module> {
  const file = await readFile(join(packageFolder, name))
  const bytes = Buffer.concat([file, more])
  const module = await WebAssembly.compile(bytes)
  // The module has a copy. These would stay until the next collection of all garbage, which an idle process may never do.
  for (const { buffer } of [file, bytes]) buffer.transfer?.(0)
  return module
}
