import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryDisk } from './scripts/memory-disk.ts'

// Tests copy databases by the hundred, which takes longer than most of them on a disk that is slow to find room.
const disk = memoryDisk()
if (disk !== null) process.env.TMPDIR ??= disk

/** On a busy machine all takes many times as long. Only what hangs takes this long. */
const patience = 180_000

/** Begins with what takes long: at the end the other workers would wait for it. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(moduleId.includes('.long.'))
    return (await super.sort(files)).toSorted((a, b) => isLong(b) - isLong(a))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What takes long has a name of its own, and so has what only runs at night; LONG_TESTS takes them in.
    exclude: process.env.LONG_TESTS ? [] : ['test/**/*.{long,night}.test.ts'],
    globalSetup: './test/support/template.ts',
    setupFiles: './test/support/seed.ts',
    sequence: { sequencer: LongFirst },
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: patience,
    hookTimeout: patience,
    // What is waited for comes, however busy the machine is; by default a second is enough.
    expect: { poll: { timeout: patience / 2 } },
    // Modules are loaded once in a worker, not again for each file: that was a third of the time. Tests leave no state.
    isolate: false,
    // Node loads them itself, as it does for a user: a tenth of the processor time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      // Collecting young objects less often is a twentieth of the processor time.
      '--min-semi-space-size=16',
      '--max-semi-space-size=64',
      // Where databases open and close in one process, V8 of Node 24 may free the code of a WebAssembly module twice, and aborts:
      // nodejs/node#64500. Without this collection it frees none.
      '--no-wasm-code-gc',
    ],
    // More than cores: they work while others wait for clocks and for processes. Each takes 700 MB, and long tests start more.
    maxWorkers: Math.min(availableParallelism() + (process.env.LONG_TESTS ? 1 : 2), 8),
  },
})
