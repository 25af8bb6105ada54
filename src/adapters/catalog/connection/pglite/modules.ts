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

/**
 * For making a catalog. V8 keeps what it compiled of a module, optimised or not, for all that have the same bytes, so
 * these have some more: an empty custom section (WebAssembly core specification, 5.5.3).
 */
export async function modulesOfCreation(): Promise<Modules> {
  const [pgliteWasmModule, initdbWasmModule] = await Promise.all([
    compile('pglite.wasm', Uint8Array.of(0, 2, 1, 0x78)),
    compile('initdb.wasm'),
  ])
  return { pgliteWasmModule, initdbWasmModule }
}

const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))

async function compile(name: string, more = new Uint8Array()): Promise<WebAssembly.Module> {
  const file = await readFile(join(folder, name))
  const bytes = Buffer.concat([file, more])
  const module = await WebAssembly.compile(bytes)
  // The module has a copy. These would stay until the next collection of all garbage, which an idle process may never do.
  for (const { buffer } of [file, bytes]) buffer.transfer?.(0)
  return module
}
