import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lockDirectory } from '../../src/adapters/catalog/connection/pglite/lock.ts'

// Takes the lock of a directory, says so, and keeps it until it is killed: with nothing that refers to it but the lock
// itself, and everything collected that can be.
lockDirectory(process.argv[2] ?? '')
setFlagsFromString('--expose-gc')
runInNewContext('gc')()
// Finalizers of collected objects run in a later turn.
setImmediate(() => console.log('locked'))
setInterval(() => {}, 60_000)
