import type { MessagePort } from 'node:worker_threads'
import type { Reply } from './messages.ts'

/** A post costs far more than a copy, and the backend writes 8 kB at a time: collect, and send this much at once. */
const batchBytes = 256 * 1024

/** Collects the backend's output and posts it in order, in few messages. */
export class Outbox {
  private readonly port: MessagePort
  private buffer = new Uint8Array(batchBytes)
  private used = 0

  constructor(port: MessagePort) {
    this.port = port
  }

  /** Copies, because the view is of the backend's memory, which is overwritten when this returns. */
  readonly add = (bytes: Uint8Array): void => {
    if (this.used + bytes.length > this.buffer.length) {
      this.post(false)
      if (bytes.length > this.buffer.length) this.buffer = new Uint8Array(bytes.length)
    }
    this.buffer.set(bytes, this.used)
    this.used += bytes.length
  }

  /** Sends the rest and reports that the chunk which caused it is processed. */
  flush(): void {
    this.post(true)
  }

  private post(done: boolean): void {
    const bytes = this.used > 0 ? this.buffer.slice(0, this.used) : null
    this.used = 0
    const reply: Reply = { bytes, done }
    this.port.postMessage(reply, bytes ? [bytes.buffer] : [])
  }
}
