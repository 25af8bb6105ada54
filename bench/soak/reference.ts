import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * A fixed piece of work in a process of its own, asked for by a message. What else the machine does slows it and the
 * service down alike, so latencies are judged as multiples of it.
 */
export interface Reference {
  /** Milliseconds from the question to the answer. */
  measure(): Promise<number>
  close(): void
}

const work = 8 * 2 ** 20

export function startReference(): Reference {
  const child = fork(fileURLToPath(import.meta.url), ['--answer'])
  return {
    measure: async () => {
      const started = performance.now()
      const answered = once(child, 'message')
      child.send('begin')
      await answered
      return performance.now() - started
    },
    close: () => child.kill(),
  }
}

if (process.argv[2] === '--answer') {
  const bytes = Buffer.alloc(work, 7)
  process.on('message', () => {
    createHash('sha256').update(bytes).digest()
    process.send?.('done')
  })
}
