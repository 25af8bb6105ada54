/** Who may become a user: anyone, no one, or people with an e-mail address of certain domains (lower-case). */
export type SignUpPolicy = 'open' | 'closed' | { domains: readonly string[] }

export function admits(policy: SignUpPolicy, email: unknown): boolean {
  if (typeof policy === 'string') return policy === 'open'
  if (typeof email !== 'string') return false
  return policy.domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}
