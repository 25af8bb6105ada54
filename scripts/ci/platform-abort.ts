import { stripVTControlCharacters } from 'node:util'

/** V8's registry of pages of machine code lacks what is freed: nodejs/node#64500. */
const aborts = /# Fatal error in .*\n# Check failed: .*jit_page/g

const lostWorkers = /Worker exited unexpectedly with signal SIG(?:TRAP|ILL|ABRT)\b/g

const timesIn = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/**
 * Whether a run of Vitest failed only because V8 aborted test processes while it freed WebAssembly code. Every error
 * is then such a process, and no test failed.
 */
export function isPlatformAbort(output: string): boolean {
  const text = stripVTControlCharacters(output)
  const errors = Number(/Vitest caught (\d+) unhandled error/.exec(text)?.[1] ?? 0)
  const failed = [...text.matchAll(/^\d+ passed, (\d+) failed, \d+ skipped$/gm)].at(-1)?.[1]
  const lost = timesIn(text, lostWorkers)
  return failed === '0' && errors > 0 && lost === errors && timesIn(text, aborts) >= lost
}
