import { existsSync, mkdirSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { creatingMarker, isCatalog } from './data-directory.ts'
import { DurableNodeFS, syncPath, syncTree } from './durable-fs.ts'
import { query } from './frames.ts'
import { type Modules, packageFolder } from './modules.ts'
import { divideOpenFiles, openFilesLimit } from './open-files.ts'
import { stopOptimising } from './without-optimising.ts'

export interface OpenDatabase {
  database: PGlite
  files: DurableNodeFS
}

const parameters = [
  'fsync=on',
  'wal_sync_method=fsync',
  'max_wal_size=256MB',
  'wal_recycle=off',
  'shared_buffers=24MB',
  'max_connections=10',
  'default_statistics_target=10',
]

/**
 * PGlite's own parameters without `-F` (fsync off), plus an fsync method that it implements: the default, `fdatasync`,
 * does nothing. `max_wal_size` bounds the log between checkpoints. Checkpoints then remove log files; files kept for
 * reuse would keep their content. The default of `shared_buffers`, 128 MB, stays in this process's memory once it was used. There
 * is one connection: the default of 100 takes 4 MB for their locks and their state. Maintenance runs between two statements: it
 * samples 3,000 rows of a table for the planner, not 30,000, which took a third of a second.
 */
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...parameters.flatMap((parameter) => ['-c', parameter]),
]

/**
 * Opens `<dataDir>/catalog`; creates it the first time. The caller holds the directory's lock.
 * A marker file exists next to it during creation. A crash during creation leaves something that looks like a database
 * and can't start; the marker shows that it holds no data, and it is created again.
 */
export async function openDatabase(
  dataDir: string,
  modules: Modules,
  onLogLine: (line: string) => void,
): Promise<OpenDatabase> {
  const folder = join(dataDir, 'catalog')
  const marker = creatingMarker(dataDir)
  if (existsSync(marker)) rmSync(folder, { recursive: true, force: true })
  const isNew = !isCatalog(folder)
  if (isNew) {
    writeFileSync(marker, '')
    syncPath(dataDir)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
  // The database writes its own lock file at each start and does not start with an empty one, which a kill in between
  // leaves. The lock of the directory already keeps others out.
  rmSync(join(folder, 'postmaster.pid'), { force: true })
  const files = new DurableNodeFS(folder)
  const onStderr = (line: string) => {
    onLogLine(line)
    return false
  }
  const maxFiles = `max_files_per_process=${divideOpenFiles(openFilesLimit()).database}`
  const database = new Database({
    fs: files,
    startParams: [...startParams, '-c', maxFiles],
    onStderr,
    ...modules,
  })
  await database.waitReady
  leaveOnDisk(database)
  if (isNew) {
    await dropTemplates(database)
    syncTree(folder)
    rmSync(marker)
    syncPath(dataDir)
  }
  return { database, files }
}

/** No other database is made from them, and they are half of a new catalog: 14 MB in 600 files. */
async function dropTemplates(database: PGlite): Promise<void> {
  for (const name of ['template1', 'template0']) {
    await database.exec(`ALTER DATABASE ${name} IS_TEMPLATE false`)
    await database.exec(`DROP DATABASE ${name}`)
  }
}

/** A file or a folder of Emscripten's file system in memory; others have no `contents`. */
interface Node {
  contents?: Uint8Array | Record<string, Node>
}

/**
 * Leaves PostgreSQL's own files on disk: time zones, dictionaries, scripts that make a catalog. PGlite reads all of them into one
 * buffer of 6 MB, and an open database reads few of them again. The file stays open, so that it may be replaced. It is closed with
 * the thread.
 */
function leaveOnDisk(database: PGlite): void {
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

/**
 * PGlite whose SQL parser V8 does not optimise. The parser is one function of 105 kB, which runs so often at each start that V8
 * optimised it: half a second of CPU and 604 MB for a moment. After the start it is run little, because statements are named, and
 * each is parsed once. `waitReady` says when the database is open.
 */
class Database extends PGlite {
  #hasParsed = false

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (!this.#hasParsed) {
      this.#hasParsed = true
      // Runs the parser alone: the rest of PostgreSQL is optimised where it is busy.
      const resume = stopOptimising()
      super.execProtocolRawSync(query(';'))
      resume()
    }
    return super.execProtocolRawSync(message)
  }
}
