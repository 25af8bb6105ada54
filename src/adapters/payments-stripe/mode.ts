/** Stripe keeps what is real apart from what is tried out: keys, events and objects are of one mode. */
export type Mode = 'live' | 'test'

/** Null for a key that does not say, which no key of Stripe's is. */
export function modeOf(key: string | null): Mode | null {
  const [, mode] = /_(live|test)_/.exec(key ?? '') ?? []
  return mode === 'live' || mode === 'test' ? mode : null
}

/** Whether something of Stripe's says that it is of the other mode. */
export function isForeign(mode: Mode | null, value: unknown): boolean {
  if (mode === null || typeof value !== 'object' || value === null || !('livemode' in value)) return false
  return value.livemode !== (mode === 'live')
}
