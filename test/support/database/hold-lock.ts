import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lockDirectory } from '../../../src/adapters/catalog/connection/pglite/lock.ts'

// Locks a directory, reports that, and keeps the lock until it is killed. Nothing refers to the lock, and garbage is
// collected, so the lock must not depend on a reference.
lockDirectory(process.argv[2] ?? '')
setFlagsFromString('--expose-gc')
runInNewContext('gc')()
// Finalizers of collected objects run in a later turn of the event loop.
setImmediate(() => console.log('locked'))
setInterval(() => {}, 60_000)
