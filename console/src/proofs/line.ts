import type { Verified } from './log.ts'
import type { Flaw } from './row.ts'

/** The line that says what this browser found. */
export function lineOf(result: Verified | Flaw): string {
  if ('reason' in result) {
    const place = result.row === null ? '' : `row ${result.row}: `
    return `This browser: does not verify: ${place}${result.reason}`
  }
  const { rows, size, origin, notYetCovered } = result
  const later = notYetCovered === 0 ? '' : `, ${notYetCovered} not yet covered`
  return `This browser: verified, ${rows} rows, checkpoint of ${size} signed by ${origin}${later}`
}

export const verifies = (result: Verified | Flaw): result is Verified => !('reason' in result)
