import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects the garbage of its thread once much shared memory was released. V8 does not count shared memory: a thread that
 * makes little garbage of its own would keep the rows of many compactions.
 */
export class Released {
  /** How much a thread may still hold. */
  readonly #enough: number
  #held = 0
  #collect: (() => void) | undefined

  constructor(enough: number) {
    this.#enough = enough
  }

  add(amount: number): void {
    const isDue = this.#held <= this.#enough && this.#held + amount > this.#enough
    this.#held += amount
    // Later, when nothing on the stack refers to it.
    if (isDue) setImmediate(() => this.#collectNow())
  }

  #collectNow(): void {
    this.#held = 0
    this.#collect ??= collector()
    this.#collect()
  }
}

/**
 * V8's own function, which Node shows only with a flag. It takes milliseconds where heaps are small, as in the threads of the index.
 * The flag stays set, as it belongs to the process: another thread may be about to get the function, and would end without it.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
