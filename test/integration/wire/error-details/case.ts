import type { CallOptions } from '../../../support/boot.ts'

/** Who sends a request; null has no credential. */
export type Who = 'owner' | 'free' | 'pro' | 'reader' | 'clerk' | 'agent' | 'superAdmin' | null

export interface Sent {
  who: Who
  method: string
  path: string
  options: CallOptions
}

/** A request (`OLD` in it is the id of a stored Unit), the code of its error, and what the detail must name. */
export type Case = [title: string, sent: Sent, code: string, named: RegExp]

export const rest = (who: Who, method: string, path: string, body?: unknown, options: CallOptions = {}): Sent => ({
  who,
  method,
  path,
  options: body === undefined ? options : { ...options, body },
})

export const graphql = (who: Who, query: string): Sent => rest(who, 'POST', '/graphql', { query })
