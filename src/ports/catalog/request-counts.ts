import type { Counter } from '../stores/key-value.ts'

/** Counts requests for replicas that share nothing but the catalog. */
export interface RequestCounts extends Counter {
  /** Removes counts whose time is over; returns how many. */
  removeExpired(): Promise<number>
}
