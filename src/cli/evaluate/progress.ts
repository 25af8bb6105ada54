interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

const width = 30

/** Shows how far a run is: as one line that is written anew on a terminal, else as a line each time. */
export function createProgress(out: Terminal, now: () => number) {
  // Of the first call: one that goes on with a run has a head start that says nothing of how fast it is.
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
