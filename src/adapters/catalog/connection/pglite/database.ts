import { PGlite } from '@electric-sql/pglite'
import { query } from './frames.ts'
import { stopOptimising } from './without-optimising.ts'

/**
 * PGlite whose SQL parser V8 does not optimise. The parser is one function of 105 kB, which runs so often at each start that V8
 * optimised it: half a second of CPU and 604 MB for a moment. After the start it is run little, because statements are named, and
 * each is parsed once. `waitReady` says when the database is open.
 */
export class Database extends PGlite {
  #hasParsed = false

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (!this.#hasParsed) {
      this.#hasParsed = true
      // Runs the parser alone: the rest of PostgreSQL is optimised where it is busy.
      const resume = stopOptimising()
      super.execProtocolRawSync(query(';'))
      resume()
    }
    return super.execProtocolRawSync(message)
  }
}
