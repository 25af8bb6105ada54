interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * Shows the progress of a transfer: on a terminal every second, in one line that is rewritten; else a line every 10 s.
 */
export function createProgress(out: Terminal, now: () => number) {
  let told = now()
  return {
    at: (records: number, all?: number): void => {
      if (now() - told < (out.isTTY ? 1_000 : 10_000)) return
      told = now()
      const text = all === undefined ? `${records} records` : `${records} of ${all} records`
      out.write(out.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
    },
    /** Clears the line for the next output. */
    end: (): void => {
      if (out.isTTY) out.write('\r\u001b[K')
    },
  }
}
