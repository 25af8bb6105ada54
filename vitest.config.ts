import { defineConfig } from 'vitest/config'
import { memoryDisk } from './scripts/memory-disk.ts'

// Tests copy databases by the hundred, which takes longer than most of them on a disk that is slow to find room.
const disk = memoryDisk()
if (disk !== null) process.env.TMPDIR ??= disk

export default defineConfig({
  // As Node itself resolves packages: otherwise `graphql` is loaded twice, and the two refuse each other's schemas.
  ssr: { resolve: { conditions: ['node', 'module-sync'] } },
  test: {
    include: ['test/**/*.test.ts'],
    // What takes long has a name of its own; LONG_TESTS takes it in.
    exclude: process.env.LONG_TESTS ? [] : ['test/**/*.long.test.ts'],
    globalSetup: './test/support/template.ts',
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes, however busy the machine is; by default a second is enough.
    expect: { poll: { timeout: 20_000 } },
    // Modules are loaded once in a worker, not again for each file: that was a third of the time. Tests leave no state.
    isolate: false,
    // Each file boots a database of its own; more at once than cores only makes them slow.
    maxWorkers: 2,
  },
})
