import { writeSync } from 'node:fs'
import { createFileAnchor } from '../../../src/adapters/anchor-fs/file-anchor.ts'

// Appends checkpoints to an anchor and prints the size of each once it is durable, until it is killed.
const [, , directory = '', first = '1'] = process.argv
const anchor = createFileAnchor(directory)
for (let size = Number(first); ; size++) {
  await anchor.append({ namespaceId: 'ns_1', size, time: size, note: `a note about ${size} rows\n`.repeat(20) })
  // Synchronous: an acknowledged checkpoint must be printed before the next append.
  writeSync(1, `${size}\n`)
}
