/** How to reach Stripe; null for settings that are not given. */
export interface StripeConfig {
  secretKey: string | null
  /** Signs webhook requests; works without the key. */
  webhookSecret: string | null
  /** An origin other than Stripe's own. */
  apiBase: string | null
  /** For one call, retries included. */
  timeoutMs: number
}
