import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** PostgreSQL and its `initdb`, compiled. Threads share the code of a module that they are given. */
export interface Modules {
  pgliteWasmModule: WebAssembly.Module
  initdbWasmModule: WebAssembly.Module
}

export async function compileModules(): Promise<Modules> {
  const [pgliteWasmModule, initdbWasmModule] = await Promise.all([compile('pglite.wasm'), compile('initdb.wasm')])
  return { pgliteWasmModule, initdbWasmModule }
}

/** Of the package. */
export const packageFolder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))

async function compile(name: string): Promise<WebAssembly.Module> {
  const bytes = await readFile(join(packageFolder, name))
  const module = await WebAssembly.compile(bytes)
  // The module has a copy. These would stay until the next collection of all garbage, which an idle process may never do.
  bytes.buffer.transfer?.(0)
  return module
}
