import type { BillingSettings, Bindings } from '../bindings/bindings.ts'

export type BillingDeps = Pick<Bindings, 'catalog' | 'payments' | 'clock' | 'random' | 'log'> & {
  billing: BillingSettings
}
