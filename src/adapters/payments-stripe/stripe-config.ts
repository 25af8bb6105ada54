/** How Stripe is reached; nulls where a setting is not given. */
export interface StripeConfig {
  secretKey: string | null
  /** Signs what arrives at the webhook; works without the key. */
  webhookSecret: string | null
  /** Another origin than Stripe's own. */
  apiBase: string | null
  /** For one call, retries included. */
  timeoutMs: number
}
