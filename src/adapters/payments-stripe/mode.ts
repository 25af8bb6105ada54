/** Stripe separates live data from test data: keys, events and objects have one mode. */
export type Mode = 'live' | 'test'

/** Null for a key without a mode, which is not a Stripe key. */
export function modeOf(key: string | null): Mode | null {
  const [, mode] = /_(live|test)_/.exec(key ?? '') ?? []
  return mode === 'live' || mode === 'test' ? mode : null
}

/** Whether a Stripe object declares the other mode. */
export function isForeign(mode: Mode | null, value: unknown): boolean {
  if (mode === null || typeof value !== 'object' || value === null || !('livemode' in value)) return false
  return value.livemode !== (mode === 'live')
}
