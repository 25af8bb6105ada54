import type { Bindings } from '../bindings/bindings.ts'

/** Writes the time of last use of keys, outside the requests that used them; returns how many. */
export async function recordUses({ identity, catalog }: Pick<Bindings, 'identity' | 'catalog'>): Promise<number> {
  const uses = identity.takeUses()
  if (uses.length > 0) await catalog.tokens.recordUses(uses)
  return uses.length
}
