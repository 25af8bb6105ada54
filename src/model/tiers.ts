import { type Plane, planes } from './unit.ts'

export type TierName = 'free' | 'pro' | 'enterprise'

/** The limits and features of a tier, and the tier that opens more. `null` means unlimited. */
export interface Tier {
  name: TierName
  planes: readonly Plane[]
  maxDocuments: number | null
  /**
   * The maximum of registered namespaces that all principals of one home namespace may own together, including the home
   * namespace.
   */
  maxNamespaces: number | null
  answers: boolean
  rerank: boolean
  audit: boolean
  /** Signed checkpoints and proofs of the audit log. */
  proofs: boolean
  requiredTier: TierName
}

export const tiers: Record<TierName, Tier> = {
  free: {
    name: 'free',
    planes: ['text', 'doc_visual'],
    maxDocuments: 25_000,
    maxNamespaces: 1,
    answers: false,
    rerank: false,
    audit: false,
    proofs: false,
    requiredTier: 'pro',
  },
  pro: {
    name: 'pro',
    planes,
    maxDocuments: null,
    maxNamespaces: null,
    answers: true,
    rerank: true,
    audit: true,
    proofs: false,
    requiredTier: 'enterprise',
  },
  enterprise: {
    name: 'enterprise',
    planes,
    maxDocuments: null,
    maxNamespaces: null,
    answers: true,
    rerank: true,
    audit: true,
    proofs: true,
    requiredTier: 'enterprise',
  },
}
