import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of released shards that a thread may still hold. */
const enough = 16 * 2 ** 20

/**
 * Collects the garbage of its thread once much shared memory was released. V8 does not count shared memory: a thread that
 * makes little garbage of its own would keep the rows of many compactions.
 */
export class Released {
  #bytes = 0
  #collect: (() => void) | undefined

  add(bytes: number): void {
    const isDue = this.#bytes <= enough && this.#bytes + bytes > enough
    this.#bytes += bytes
    // Later, when nothing on the stack refers to it.
    if (isDue) setImmediate(() => this.#collectNow())
  }

  #collectNow(): void {
    this.#bytes = 0
    this.#collect ??= collector()
    this.#collect()
  }
}

/** V8's own function, which Node shows only with a flag. It takes milliseconds: the threads of the index have small heaps. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return collect
}
