import { textOf } from './counts.ts'
import type { LedgerLine } from './ledger.ts'

interface Stream {
  isTTY?: boolean
  write(text: string): unknown
}

export interface Output {
  line(line: LedgerLine): void
  /** A line that is not about a file that was taken in. */
  text(text: string): void
  /** For people, also where only JSON goes to stdout. */
  problem(text: string): void
  progress(done: number, all: number): void
  end(): void
}

const width = 30
const redrawMs = 100

/** On a terminal a bar and the files that failed; elsewhere each file; with `json` only problems, and not on stdout. */
export function createOutput(stdout: Stream, stderr: Stream, { json }: { json: boolean }, now: () => number): Output {
  const hasBar = !json && stderr.isTTY === true
  let drawnAt = Number.NEGATIVE_INFINITY
  let isDrawn = false
  const clear = () => {
    if (isDrawn) stderr.write('\r\u001b[K')
    isDrawn = false
  }
  const print = (stream: Stream, text: string) => {
    clear()
    stream.write(`${text}\n`)
  }
  return {
    line: (line) => {
      const isFailed = line.status === 'failed'
      if (json ? isFailed : isFailed && hasBar && stdout.isTTY) print(stderr, textOf(line))
      else if (!json && !(hasBar && stdout.isTTY)) print(stdout, textOf(line))
    },
    text: (text) => print(stdout, text),
    problem: (text) => print(stderr, text),
    progress: (done, all) => {
      if (!hasBar || (now() - drawnAt < redrawMs && done < all)) return
      drawnAt = now()
      const filled = all === 0 ? width : Math.round((done / all) * width)
      stderr.write(`\r\u001b[K[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${done}/${all}`)
      isDrawn = true
    },
    end: clear,
  }
}
