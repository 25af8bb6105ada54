interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

const width = 30

/** Shows the progress of a run: on a terminal as one line that is rewritten, else as a new line each time. */
export function createProgress(out: Terminal, now: () => number) {
  // The state at the first call: queries that a resumed run asked earlier say nothing about the speed.
  let first: { asked: number; time: number } | null = null
  return (asked: number, total: number): void => {
    first ??= { asked, time: now() }
    if (!out.isTTY) {
      out.write(`asked ${asked} of ${total}\n`)
      return
    }
    const filled = total === 0 ? width : Math.round((asked / total) * width)
    const bar = '#'.repeat(filled) + '-'.repeat(width - filled)
    const secondsEach = (now() - first.time) / (asked - first.asked) / 1000
    const left = asked > first.asked && asked < total ? `, ${Math.ceil(secondsEach * (total - asked))} s left` : ''
    out.write(`\r\u001b[K[${bar}] ${asked}/${total}${left}${asked < total ? '' : '\n'}`)
  }
}
