/** The result of a local check. `reason` says what is wrong; null if nothing is. */
export interface Verdict {
  ok: boolean
  reason: string | null
}

export const good: Verdict = { ok: true, reason: null }
export const bad = (reason: string): Verdict => ({ ok: false, reason })

/** Input of an unexpected shape is not proof of anything: it fails the check instead of throwing. */
export async function verdictOf(check: () => Promise<Verdict>, subject: string): Promise<Verdict> {
  try {
    return await check()
  } catch {
    return bad(`${subject} is malformed`)
  }
}
