interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

/** Says how far a transfer is: on a terminal each second, in one line that is written anew; else a line every ten. */
export function createProgress(out: Terminal, now: () => number) {
  let told = now()
  return {
    at: (records: number, all?: number): void => {
      if (now() - told < (out.isTTY ? 1_000 : 10_000)) return
      told = now()
      const text = all === undefined ? `${records} records` : `${records} of ${all} records`
      out.write(out.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
    },
    /** Makes room for what is said next. */
    end: (): void => {
      if (out.isTTY) out.write('\r\u001b[K')
    },
  }
}
