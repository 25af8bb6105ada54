import type { LedgerLine } from './ledger.ts'

export type Counts = Record<'files' | LedgerLine['status'] | 'units', number>

export const noCounts = (): Counts => ({ files: 0, ok: 0, unchanged: 0, failed: 0, skipped: 0, deleted: 0, units: 0 })

export function count(counts: Counts, { status, units }: Pick<LedgerLine, 'status' | 'units'>): void {
  counts.files += 1
  counts[status] += 1
  counts.units += units
}

export const summary = ({ files, ok, unchanged, failed, skipped, deleted, units }: Counts): string =>
  `${files} files: ${ok} ok, ${unchanged} unchanged, ${failed} failed, ${skipped} skipped, ${deleted} deleted; ${units} Units`

/** A name as a terminal may show it. */
const shown = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)

export function textOf({ status, file, reason, detail, units }: LedgerLine): string {
  const name = `${status} ${shown(file)}`
  if (status === 'ok' || status === 'unchanged') return `${name} ${units} Units`
  if (reason === null) return name
  return `${name} ${reason}${detail === null || status === 'skipped' ? '' : `: ${shown(detail)}`}`
}

/** What a call would do about a file. */
export interface Preview {
  status: 'new' | 'changed' | 'unchanged' | 'missing' | 'skipped' | 'failed'
  file: string
  reason?: string
}

export const previewText = ({ status, file, reason }: Preview): string =>
  [status, shown(file), ...(reason === undefined ? [] : [reason])].join(' ')

interface Stream {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** How much of the work. */
interface Amount {
  files: number
  bytes: number
}

export interface Output {
  line(line: LedgerLine): void
  /** A line that is not about a file that was taken in. */
  text(text: string): void
  /** For people, also where only JSON goes to stdout. */
  problem(text: string): void
  progress(done: Amount, all: Amount): void
  end(): void
}

const maxWidth = 30
const redrawMs = 100
/** Before that nobody can tell how long the rest takes. */
const minShare = 0.02

/** 4.2 MB. */
const sizeOf = (bytes: number) =>
  bytes < 1e6
    ? `${Math.round(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(1)} GB`

/** 40 s, 3 min. */
const timeOf = (ms: number) => (ms < 90_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`)

/**
 * On a terminal a bar, the files that failed, and in the end a list of those that were left out; elsewhere each file; with
 * `json` only problems, and not on stdout.
 */
export function createOutput(stdout: Stream, stderr: Stream, { json }: { json: boolean }, now: () => number): Output {
  const hasBar = !json && stderr.isTTY === true
  const isTerminal = hasBar && stdout.isTTY === true
  const started = now()
  let units = 0
  const leftOut: LedgerLine[] = []
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
      units += line.units
      if (isTerminal && line.status === 'skipped') leftOut.push(line)
      if (json ? isFailed : isFailed && isTerminal) print(stderr, textOf(line))
      else if (!json && !isTerminal) print(stdout, textOf(line))
    },
    text: (text) => print(stdout, text),
    problem: (text) => print(stderr, text),
    progress: (done, all) => {
      const isDone = done.files === all.files
      if (!hasBar || (now() - drawnAt < redrawMs && !isDone)) return
      drawnAt = now()
      // Many small files and a few large ones take long for different reasons: what is further behind counts.
      const share = isDone ? 1 : Math.min(done.files / all.files, all.bytes === 0 ? 1 : done.bytes / all.bytes)
      const left = share < minShare || isDone ? '' : `, ${timeOf(((drawnAt - started) / share) * (1 - share))} left`
      const size = `${sizeOf(done.bytes)}${isDone ? '' : ` of ${sizeOf(all.bytes)}`}`
      const text = ` ${done.files}/${all.files} files, ${size}, ${units} Units${left}`
      // A bar that fills the line would break into the next one.
      const width = Math.max(Math.min(maxWidth, (stderr.columns ?? 80) - text.length - 3), 0)
      const filled = Math.floor(share * width)
      stderr.write(`\r\u001b[K[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]${text}`)
      isDrawn = true
    },
    end: () => {
      clear()
      for (const line of leftOut.splice(0)) print(stderr, textOf(line))
    },
  }
}
