import { expect, it } from 'vitest'
import { isPlatformAbort } from '../../scripts/ci/platform-abort.ts'

const abort = '\n\n#\n# Fatal error in , line 0\n# Check failed: jit_page_->allocations_.erase(addr) == 1.\n#\n'
const caught = (errors: number) =>
  `\u001b[31mVitest caught ${errors} unhandled error${errors === 1 ? '' : 's'} during\n`
const lost = (signal: string) =>
  `Caused by: \u001b[31mError\u001b[39m: Worker exited unexpectedly with signal ${signal} during\n`
const summary = (failed: number) => `\n12 passed, ${failed} failed, 0 skipped\n`

it('is a test process that V8 aborted, where no test failed', () => {
  expect(isPlatformAbort(abort + caught(1) + lost('SIGTRAP') + summary(0))).toBe(true)
  expect(isPlatformAbort(abort + abort + caught(2) + lost('SIGTRAP') + lost('SIGILL') + summary(0))).toBe(true)
})

it.each([
  ['a failed test', abort + caught(1) + lost('SIGTRAP') + summary(1)],
  ['another error beside it', abort + caught(2) + lost('SIGTRAP') + summary(0)],
  ['a process that was killed', caught(1) + lost('SIGKILL') + summary(0)],
  ['a process that ended without a word of V8', caught(1) + lost('SIGTRAP') + summary(0)],
  ['another check of V8', abort.replace('jit_page_', 'heap_') + caught(1) + lost('SIGTRAP') + summary(0)],
  ['two processes, of which one was aborted', abort + caught(2) + lost('SIGTRAP') + lost('SIGTRAP') + summary(0)],
  ['a run that never came to its end', abort + caught(1) + lost('SIGTRAP')],
  ['a run without errors', summary(0)],
])('is not %s', (_, output) => {
  expect(isPlatformAbort(output)).toBe(false)
})
