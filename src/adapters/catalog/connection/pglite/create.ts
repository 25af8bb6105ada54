import { createCatalog } from './start.ts'

// A program that makes a catalog. It locks the directory itself, and does not outlive the process that waits for it.

const end = () => process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)
if (!process.connected) end()
const [dataDir = ''] = process.argv.slice(2)
await createCatalog(dataDir)
process.exit()
