import type pg from 'pg'
import type { Commits } from './commits.ts'

/** For the option `Client` of a pool with one connection: reports each of its statements to `commits`. */
export function observedClient(commits: Commits, client: typeof pg.Client): typeof pg.Client {
  return class extends client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      this.once('end', () => commits.lost())
      // All forms of a call, and the queries that `pg` makes of them, pass here.
      const query = this.query.bind(this) as (...args: unknown[]) => unknown
      const observed = (...args: unknown[]): unknown => {
        const [statement] = args
        const ended = commits.sent(textOf(statement))
        if (!ended) return query(...args)
        const last = args.at(-1)
        if (typeof last === 'function') {
          return query(...args.slice(0, -1), (...results: unknown[]) => {
            ended()
            last(...results)
          })
        }
        const result = query(...args)
        return result instanceof Promise ? result.finally(ended) : result
      }
      this.query = observed as typeof this.query
    }
  }
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : (statement as { text: string }).text
