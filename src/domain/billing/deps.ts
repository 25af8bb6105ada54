import type { BillingSettings, Bindings } from '../deps.ts'

export type BillingDeps = Pick<Bindings, 'catalog' | 'payments' | 'clock' | 'random' | 'log'> & {
  billing: BillingSettings
}
