import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { clearFreeSpace } from './clear-free-space.ts'

type InitResult = ReturnType<NodeFS['init']>
type ModuleOptions = Parameters<NodeFS['init']>[1]

/** The fields of an Emscripten stream over NODEFS that this file needs. */
interface NodeStream {
  nfd: number
  path: string
}

interface NodeStreamOps {
  fsync?: (stream: NodeStream) => number
  /** `memory` is the backend's memory as bytes; `position` is where in the file to write. */
  write(stream: NodeStream, memory: Int8Array, offset: number, length: number, position: number): number
}

interface NodeOps {
  setattr(node: object, attributes: { mode?: number }): void
}

/** `EIO` in WASI's numbering, which is what the PostgreSQL build reads. */
const EIO = 29

/**
 * PGlite's file system on real files, with the call that it lacks: Emscripten's NODEFS has no `fsync`. The system call
 * succeeds without doing anything, and a commit is acknowledged while it is only in the page cache.
 * Pages are written without the remains of deleted rows. Files are for their owner alone: Emscripten sets their mode after they are
 * made, past the umask.
 */
export class DurableNodeFS extends NodeFS {
  /** Real fsync calls so far; the contract test shows that each commit adds one. */
  syncs = 0

  override async init(pg: PGlite, options: ModuleOptions): InitResult {
    const { emscriptenOpts } = await super.init(pg, options)
    const install: NonNullable<ModuleOptions['preRun']>[number] = (module) => {
      const { stream_ops: ops, node_ops: nodes }: { stream_ops?: NodeStreamOps; node_ops?: NodeOps } =
        module.FS.filesystems.NODEFS
      if (!ops || !nodes) throw new Error('this PGlite has no NODEFS operations: commits would not be durable')
      ops.fsync = (stream) => this.sync(stream.nfd)
      const setattr = nodes.setattr
      nodes.setattr = (node, { mode, ...others }) =>
        setattr(node, mode === undefined ? others : { ...others, mode: mode & ~0o077 })
      const write = ops.write
      ops.write = (stream, memory, offset, length, position) => {
        clearFreeSpace(stream.path, new Uint8Array(memory.buffer, memory.byteOffset + offset, length), position)
        return write(stream, memory, offset, length, position)
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), install] } }
  }

  /** Reports a failure to PostgreSQL as EIO: it then panics instead of acknowledging a commit that is not on disk. */
  private sync(descriptor: number): number {
    try {
      this.syncs += 1
      fsyncSync(descriptor)
      return 0
    } catch {
      return EIO
    }
  }
}

/** Flushes a folder, everything below it, and its own entry in its parent. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) syncPath(join(entry.parentPath, entry.name))
  }
  syncPath(folder)
  syncPath(dirname(folder))
}

/** Flushes one file, or the entries of one folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
