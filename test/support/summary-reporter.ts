import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output with one plain line, `N passed, N failed, N skipped`, that any tool can read. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      // A file that fails to load has no tests that could fail.
      if (module.errors().length > 0) count.failed += 1
    }
    // After the summary of the default reporter.
    process.on('exit', () => console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`))
  }
}
