import type { Session } from '../../model/session.ts'

/** What an answer says of the number of hidden Units, which is only counted where an answer depends on it. */
export async function hiddenCount({ hiddenCount: said }: Session, count: () => Promise<number>): Promise<number> {
  if (said === 'off') return 0
  const hidden = await count()
  return said === 'some' ? Math.min(hidden, 1) : hidden
}
