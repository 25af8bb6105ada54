import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** PostgreSQL and its `initdb`, compiled. Threads share the code of a module that they are given. */
export interface Modules {
  pgliteWasmModule: WebAssembly.Module
  initdbWasmModule: WebAssembly.Module
}

let compiled: Promise<Modules> | undefined

/** Compiles once in a process: where a database is opened after another, as in tests, that was a fifth of the time. */
export function compiledModules(): Promise<Modules> {
  compiled ??= Promise.all([compile('pglite.wasm'), compile('initdb.wasm')]).then(
    ([pgliteWasmModule, initdbWasmModule]) => ({ pgliteWasmModule, initdbWasmModule }),
  )
  return compiled
}

const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))

const compile = async (name: string) => WebAssembly.compile(await readFile(join(folder, name)))
