interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

/** Once a second on a terminal, in one line that is written anew; else a line every ten seconds. */
export function createProgress(out: Terminal, now: () => number) {
  let told = now()
  return (records: number, all?: number): void => {
    const isLast = records === all
    if (!isLast && now() - told < (out.isTTY ? 1_000 : 10_000)) return
    told = now()
    const text = all === undefined ? `${records} records` : `${records} of ${all} records`
    if (out.isTTY) out.write(`\r\u001b[K${text}${isLast ? '\n' : ''}`)
    else if (!isLast) out.write(`${text}\n`)
  }
}
