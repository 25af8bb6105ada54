import { parentPort, workerData } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { hasSpace } from './free-space.ts'
import type { Command, Report, Start } from './messages.ts'
import { compileModules } from './modules.ts'
import { openDatabase } from './open-database.ts'
import { serve } from './session.ts'
import { stopOnCrash } from './stop-on-crash.ts'

// PGlite runs every statement to its end without yielding: in its own thread it blocks no other work.

const start: Start = workerData

/** The backend's latest FATAL or PANIC log line: says more than the exception that follows it. */
let lastWords: string | undefined

function onLogLine(line: string): void {
  if (/\b(FATAL|PANIC):/.test(line)) lastWords = line
}

const report = (message: Report) => parentPort?.postMessage(message)

/** Ends the thread at once, so that a backend in an unknown state writes nothing more. */
function fail(error: unknown): never {
  report({ kind: 'failed', reason: lastWords ?? messageOf(error) })
  process.exit(1)
}

/** Emscripten throws plain objects too, with a message. */
function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
}

async function obey(database: PGlite, command: Command): Promise<void> {
  if (command.kind === 'connect') {
    const isHeld = () => Atomics.load(start.held, 0) === 1
    await serve(database, command.port, () => !isHeld() && hasSpace(start.dataDir))
    report({ kind: 'free' })
  } else {
    // On a full disk a checkpoint would end in a panic. Commits are in the log: the next start replays it.
    if (hasSpace(start.dataDir)) {
      // An explicit checkpoint, because PGlite's close swallows errors. The next start then has nothing to replay.
      await database.exec('CHECKPOINT')
      await database.close()
    }
    report({ kind: 'closed' })
    parentPort?.close()
  }
}

try {
  // Here, as the other thread is busy with the modules of the service.
  const modules = start.modules ?? (await compileModules(start))
  const { database } = await openDatabase(start.dataDir, modules, onLogLine)
  stopOnCrash(database, fail)
  parentPort?.on('message', (command: Command) => {
    obey(database, command).catch(fail)
  })
  report({ kind: 'ready', modules })
} catch (error) {
  fail(error)
}
