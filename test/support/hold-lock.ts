import { lockDirectory } from '../../src/adapters/catalog/pglite/lock.ts'

// Takes the lock of a directory, says so, and keeps it until it is killed.
lockDirectory(process.argv[2] ?? '')
console.log('locked')
setInterval(() => {}, 60_000)
