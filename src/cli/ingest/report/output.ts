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

/** 4.2 MB. */
const sizeOf = (bytes: number) => (bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`)

/** 40 s, 3 min. */
const timeOf = (ms: number) => (ms < 90_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`)

/**
 * On a terminal a bar, the files that failed, and in the end those without text and of unknown formats; elsewhere each
 * file; with `json` only problems, and not on stdout.
 */
export function createOutput(stdout: Stream, stderr: Stream, { json }: { json: boolean }, now: () => number): Output {
  const hasBar = !json && stderr.isTTY === true
  const isTerminal = hasBar && stdout.isTTY === true
  const started = now()
  const sums = { bytes: 0, units: 0 }
  const unread: LedgerLine[] = []
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
      sums.bytes += line.bytes ?? 0
      sums.units += line.units
      if (isTerminal && (line.reason === 'empty' || line.reason === 'unsupported')) unread.push(line)
      if (json ? isFailed : isFailed && isTerminal) print(stderr, textOf(line))
      else if (!json && !isTerminal) print(stdout, textOf(line))
    },
    text: (text) => print(stdout, text),
    problem: (text) => print(stderr, text),
    progress: (done, all) => {
      if (!hasBar || (now() - drawnAt < redrawMs && done < all)) return
      drawnAt = now()
      const filled = all === 0 ? width : Math.round((done / all) * width)
      const left = done === 0 ? 0 : ((drawnAt - started) / done) * (all - done)
      const read = `${done}/${all} files, ${sizeOf(sums.bytes)}, ${sums.units} Units`
      const rest = done < all ? `, ${timeOf(left)} left` : ''
      stderr.write(`\r\u001b[K[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${read}${rest}`)
      isDrawn = true
    },
    end: () => {
      clear()
      for (const line of unread.splice(0)) print(stderr, textOf(line))
    },
  }
}
