import { workerData } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { answerCalls, endThread } from '../../../../async/calls.ts'
import { hasSpace } from './free-space.ts'
import type { DatabaseCalls, Start } from './messages.ts'
import { compileModules } from './modules.ts'
import { openDatabase } from './open-database.ts'
import { serve } from './session.ts'

// PGlite runs every statement to its end without yielding: in its own thread it blocks no other work.

const start: Start = workerData

/** The backend's latest FATAL or PANIC log line: says more than the exception that follows it. */
let lastWords: string | undefined

function onLogLine(line: string): void {
  if (/\b(FATAL|PANIC):/.test(line)) lastWords = line
}

/** Ends the thread at once, so that a backend in an unknown state writes nothing more. */
const fail = (error: unknown): never => endThread(lastWords ?? messageOf(error))

/** Emscripten throws plain objects too, with a message. */
function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
}

async function close(database: PGlite): Promise<void> {
  // On a full disk a checkpoint would end in a panic. Commits are in the log: the next start replays it.
  if (!hasSpace(start.dataDir)) return
  // An explicit checkpoint, because PGlite's close swallows errors. The next start then has nothing to replay.
  await database.exec('CHECKPOINT')
  await database.close()
}

try {
  // Here, as the other thread is busy with the modules of the service.
  const modules = start.modules ?? (await compileModules())
  const { database } = await openDatabase(start.dataDir, modules, onLogLine)
  stopOnCrash(database, fail)
  const mayMaintain = () => Atomics.load(start.held, 0) !== 1 && hasSpace(start.dataDir)
  answerCalls<DatabaseCalls>({
    open: () => modules,
    connect: (port) => serve(database, port, mayMaintain).then(() => null, fail),
    close: () => close(database).then(() => null, fail),
  })
} catch (error) {
  fail(error)
}

/** The exit status with which PGlite reports a normal SQL error (pglitec.c, POSTGRES_MAIN_LONGJMP). */
const sqlError = 100

/**
 * PGlite catches everything that the backend throws and continues. That is right for an SQL error and wrong for
 * anything else. After a panic (for example a failed fsync) or a trap, memory no longer agrees with the disk and must
 * not serve another query.
 */
function stopOnCrash(database: PGlite, stop: (error: unknown) => never): void {
  const backend = database.Module
  const run = backend._PostgresMainLoopOnce
  backend._PostgresMainLoopOnce = () => {
    try {
      run()
    } catch (error) {
      if (!isSqlError(error)) stop(error)
      throw error
    }
  }
}

function isSqlError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === sqlError
}
