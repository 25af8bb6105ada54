import { rmSync } from 'node:fs'
import { tempDir } from '../../test/support/temp-dir.ts'

/** Makes an interrupted bench emit the `exit` event, which kills children and removes folders. */
export function exitOnSignals(): void {
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}

/** Creates a folder that is removed when the bench ends. */
export function benchDir(label: string): { path: string; remove(): void } {
  const { path } = tempDir(`bench-${label}`)
  // A recently killed child may still be writing.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  process.once('exit', remove)
  return {
    path,
    remove: () => {
      process.off('exit', remove)
      remove()
    },
  }
}
