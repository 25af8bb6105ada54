import { rmSync } from 'node:fs'
import { tempDir } from '../../test/support/temp-dir.ts'

/** An interrupted bench still ends through the `exit` event, in which children are killed and folders removed. */
export function exitOnSignals(): void {
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}

/** A new folder that is gone when the bench is. */
export function benchDir(label: string): { path: string; remove(): void } {
  const { path } = tempDir(`bench-${label}`)
  // A child that was killed a moment ago may still be writing.
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
