import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

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

/** PostgreSQL's page size, as PGlite is built. */
export const pageBytes = 8192

/** Pages per file: PostgreSQL splits a relation into files of 1 GiB. */
const pagesPerFile = 2 ** 30 / pageBytes

/** A relation's own pages; the maps next to them (`_fsm`, `_vm`) have another page layout. */
const relationFile = /\/base\/\d+\/\d+(?:\.(\d+))?$/

/** The special space at the end of a page: none in a table, 16 bytes in a B-tree. */
const pageEnds = [pageBytes, pageBytes - 16]

/** The fields of a page's header: `PageHeaderData` in PostgreSQL's storage/bufpage.h. */
const [lowerAt, upperAt, specialAt, headerBytes] = [12, 14, 16, 24]

/**
 * Clears the free space of pages before they are written to a relation's file. VACUUM marks the space of deleted rows
 * as free and leaves their bytes in it. PostgreSQL never reads those bytes, and its own page images leave them out.
 * `bytes` are written to `path` at `position`. Only whole pages of tables and B-trees are changed.
 */
function clearFreeSpace(path: string, bytes: Uint8Array, position: number): void {
  const file = relationFile.exec(path)
  if (!file || bytes.length % pageBytes !== 0 || position % pageBytes !== 0) return
  const first = Number(file[1] ?? 0) * pagesPerFile + position / pageBytes
  for (let at = 0; at < bytes.length; at += pageBytes) {
    clearPage(bytes.subarray(at, at + pageBytes), first + at / pageBytes)
  }
}

function clearPage(bytes: Uint8Array, block: number): void {
  const page = new DataView(bytes.buffer, bytes.byteOffset, pageBytes)
  const [lower, upper] = [page.getUint16(lowerAt, true), page.getUint16(upperAt, true)]
  const special = page.getUint16(specialAt, true)
  const isKnown = pageEnds.includes(special) && lower >= headerBytes && lower <= upper && upper <= special
  if (!isKnown || isClear(bytes.subarray(lower, upper))) return
  const checksum = storedChecksum(page)
  // A damaged page keeps its wrong checksum: that is how PostgreSQL detects it.
  if (checksum !== 0 && checksum !== pageChecksum(page, block)) return
  bytes.fill(0, lower, upper)
  if (checksum !== 0) storeChecksum(page, pageChecksum(page, block))
}

const zeros = Buffer.alloc(pageBytes)
const isClear = (space: Uint8Array): boolean => zeros.compare(space, 0, space.length, 0, space.length) === 0

const sums = 32
const prime = 16777619
const checksumAt = 8

/** The initial values of the parallel sums: `checksumBaseOffsets` in PostgreSQL's storage/checksum_impl.h. */
const offsets = Uint32Array.of(
  ...[0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c],
  ...[0xf8d4474f, 0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb],
  ...[0xe58f764b, 0x187636bc, 0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4],
  ...[0x783125bb, 0x6ca8eaa2, 0xe407eac6, 0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756],
)

/**
 * The checksum of a page: FNV-1a over 32 interleaved sums, with the stored checksum taken as zero, then mixed with the
 * block's number. Source: `pg_checksum_page` in PostgreSQL's storage/checksum_impl.h.
 */
export function pageChecksum(page: DataView, block: number): number {
  const state = offsets.slice()
  const mix = (lane: number, value: number) => {
    const mixed = (state[lane] ?? 0) ^ value
    state[lane] = Math.imul(mixed, prime) ^ (mixed >>> 17)
  }
  for (let at = 0; at < pageBytes; at += 4) {
    const word = page.getUint32(at, true)
    // The checksum is the lower half of its word.
    mix((at / 4) % sums, at === checksumAt ? word & 0xffff0000 : word)
  }
  for (let round = 0; round < 2; round += 1) for (let lane = 0; lane < sums; lane += 1) mix(lane, 0)
  const folded = state.reduce((all, sum) => all ^ sum, 0)
  return (((folded ^ block) >>> 0) % 65535) + 1
}

/** The checksum stored in a page; 0 if the database has none. */
export const storedChecksum = (page: DataView): number => page.getUint16(checksumAt, true)

const storeChecksum = (page: DataView, checksum: number): void => page.setUint16(checksumAt, checksum, true)
