import { Duplex } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'
import type { Reply } from './messages.ts'

type Done = (error?: Error | null) => void

/**
 * The socket that `pg` uses. Each write waits until the worker has processed it; data written meanwhile is sent in one
 * piece. Reads have no back-pressure: `pg` keeps a whole result in memory anyway.
 */
export class PortStream extends Duplex {
  private readonly acquire: () => Promise<MessagePort>
  private port: MessagePort | null = null
  private written: Done = () => {}

  /** `acquire` waits for its turn and returns the connection's port. */
  constructor(acquire: () => Promise<MessagePort>) {
    super()
    this.acquire = acquire
  }

  /** Called by `pg` with a host and a port, which are ignored. */
  connect(): this {
    this.acquire().then(
      (port) => this.attach(port),
      (error) => this.destroy(error),
    )
    return this
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {
    this.port?.ref()
  }
  unref(): void {
    this.port?.unref()
  }

  private attach(port: MessagePort): void {
    if (this.destroyed) {
      port.close()
      return
    }
    this.port = port
    port.on('message', ({ bytes, done }: Reply) => {
      if (bytes) this.push(bytes)
      if (done) this.written()
    })
    this.emit('connect')
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.send([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.send(
      chunks.map(({ chunk }) => chunk),
      done,
    )
  }

  /** Copies them once, so that the port can transfer the bytes instead of copying them again. */
  private send(chunks: readonly Buffer[], done: Done): void {
    const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
    let at = 0
    for (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    this.written = done
    this.port?.postMessage(bytes, [bytes.buffer])
  }

  override _final(done: Done): void {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.port?.close()
    done(error)
  }
}
