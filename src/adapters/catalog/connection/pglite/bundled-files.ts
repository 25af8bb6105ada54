import { openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { packageFolder } from './modules.ts'

/** A file or a folder of Emscripten's file system in memory; others have no `contents`. */
interface Node {
  contents?: Uint8Array | Record<string, Node>
}

/**
 * Leaves PostgreSQL's own files on disk: time zones, dictionaries, scripts that make a catalog. PGlite reads all of them into one
 * buffer of 6 MB, and an open database reads few of them again. The file stays open, so that it may be replaced. It is closed with
 * the thread.
 */
export function leaveOnDisk(database: PGlite): void {
  const file = openSync(join(packageFolder, 'pglite.data'), 'r')
  const bundle = bundleOf(database)
  for (const node of filesBelow(database.Module.FS.lookupPath('/', {}).node as Node)) {
    const { contents } = node
    if (!(contents instanceof Uint8Array) || contents.buffer !== bundle) continue
    const { byteOffset, byteLength } = contents
    const replace = (value: Uint8Array) => Object.defineProperty(node, 'contents', { value, writable: true })
    const read = () => {
      const bytes = new Uint8Array(byteLength)
      readSync(file, bytes, 0, byteLength, byteOffset)
      return bytes
    }
    Object.defineProperty(node, 'contents', { get: read, set: replace, configurable: true })
  }
  // Nothing refers to it any more. It would stay until the next collection of all garbage.
  bundle.transfer?.(0)
}

/** The buffer of all of them; `initdb` is one that each PGlite has. */
function bundleOf(database: PGlite): ArrayBuffer {
  const { contents } = database.Module.FS.lookupPath('/pglite/bin/initdb', {}).node as Node
  if (!(contents?.buffer instanceof ArrayBuffer)) throw new Error('this PGlite keeps its own files in another way')
  return contents.buffer
}

function* filesBelow(node: Node): Generator<Node> {
  if (node.contents instanceof Uint8Array) yield node
  else for (const child of Object.values(node.contents ?? {})) yield* filesBelow(child)
}
