import { setTimeout as sleep } from 'node:timers/promises'
import { answerCalls, endThread } from '../../../src/async/calls.ts'

// A thread or a process of tests.

export interface EchoCalls {
  echo: { ask: string; answer: string }
  later: { ask: { text: string; ms: number }; answer: string }
  refuse: { ask: string; answer: string }
  crash: { ask: string; answer: undefined }
  exit: { ask: number; answer: undefined }
  give: { ask: string; answer: undefined }
  /** How many messages have brought calls so far: one may bring several. */
  messages: { ask: null; answer: number }
}

let messages = 0
let isCounted = false
function count(): void {
  if (isCounted) return
  isCounted = true
  messages += 1
  queueMicrotask(() => {
    isCounted = false
  })
}

answerCalls<EchoCalls>({
  echo: (text) => {
    count()
    return text
  },
  later: async ({ text, ms }) => {
    await sleep(ms)
    return text
  },
  refuse: (text) => {
    throw new TypeError(text)
  },
  crash: (text) => {
    setImmediate(() => {
      throw new Error(text)
    })
    return new Promise<undefined>(() => {})
  },
  exit: (code) => process.exit(code),
  give: (reason) => endThread(reason),
  messages: () => messages,
})
