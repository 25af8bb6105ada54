import type { Permission } from '../../model/registry.ts'

/** What an operation touches besides what is always kept to the caller's planes, scopes and groups. */
export type Reach =
  /** Nothing: Units as they are visible to the caller, its own records, or what everyone in the namespace may know. */
  | 'clamped'
  /** A scope, in all of its planes and for all groups. */
  | 'scope'
  /** A scope and everything below it, in all planes and for all groups. */
  | 'subtree'
  /** Planes, for all groups. */
  | 'planes'
  /** What belongs to the namespace as a whole. */
  | 'namespace'
  /** The namespace, with everything in it. */
  | 'tenant'
  /** A principal, whose groups are kept to the caller's. */
  | 'member'
  /** A grant: it opens a scope in all planes, and for all groups that its holder has. */
  | 'grant'
  /** Grants and principals that others made. */
  | 'access'
  /** The whole audit log. */
  | 'log'
  /** What the principal has and owns, for good. */
  | 'account'
  /** Everything that the seed hands out. */
  | 'seed'

/**
 * A permission on the scope that the operation names (without a name: the requested one), there or somewhere below, on the
 * whole namespace, or anywhere in it. Of several, `anywhere` asks for one and the others for all.
 */
export interface Need {
  perms: readonly Permission[]
  on: 'scope' | 'below' | 'namespace' | 'anywhere'
}

export interface Operation {
  /** Null where it is enough to be in the namespace: such an operation needs no call of the gate. */
  needs: Need | null
  reach: Reach
  /** Whether it is open without a credential; what it checks instead is its own. */
  open?: 'public' | 'signed by others' | 'first run'
}

const reads: Need = { perms: ['read'], on: 'scope' }
const writes: Need = { perms: ['write'], on: 'scope' }
/** Writes reach what is writable. */
const writesBelow: Need = { perms: ['write'], on: 'below' }
const administersScope: Need = { perms: ['admin'], on: 'scope' }
const administers: Need = { perms: ['admin'], on: 'namespace' }
const seesLog: Need = { perms: ['read', 'admin'], on: 'anywhere' }
const everything: Need = { perms: ['read', 'write', 'admin'], on: 'namespace' }

/** An entry for every root field of the schema, queries first. A field without one fails the start. */
export const operations = {
  answer: { needs: reads, reach: 'clamped' },
  apiKeys: { needs: null, reach: 'clamped' },
  audit: { needs: seesLog, reach: 'clamped' },
  auditCheckpoint: { needs: null, reach: 'clamped' },
  auditProof: { needs: null, reach: 'clamped' },
  benchmarkReport: { needs: null, reach: 'clamped' },
  billingPlans: { needs: null, reach: 'clamped', open: 'public' },
  billingSubscription: { needs: null, reach: 'clamped' },
  catalogStats: { needs: null, reach: 'clamped' },
  compaction: { needs: reads, reach: 'clamped' },
  context: { needs: null, reach: 'clamped' },
  deletionReceipt: { needs: null, reach: 'clamped' },
  evaluationRuns: { needs: administers, reach: 'namespace' },
  explainAccess: { needs: administers, reach: 'clamped' },
  goldenQueries: { needs: administers, reach: 'namespace' },
  grant: { needs: administers, reach: 'clamped' },
  grants: { needs: administers, reach: 'clamped' },
  health: { needs: null, reach: 'clamped', open: 'public' },
  namespace: { needs: administers, reach: 'clamped' },
  namespaces: { needs: null, reach: 'clamped' },
  principal: { needs: administers, reach: 'clamped' },
  principals: { needs: administers, reach: 'clamped' },
  scope: { needs: null, reach: 'clamped' },
  scopes: { needs: null, reach: 'clamped' },
  search: { needs: reads, reach: 'clamped' },
  unit: { needs: reads, reach: 'clamped' },
  units: { needs: reads, reach: 'clamped' },
  verifyAudit: { needs: null, reach: 'clamped' },

  compact: { needs: administers, reach: 'planes' },
  createApiKey: { needs: null, reach: 'clamped' },
  createBillingPortal: { needs: null, reach: 'account' },
  createCheckout: { needs: null, reach: 'account' },
  createGoldenQueries: { needs: administers, reach: 'namespace' },
  createGrant: { needs: administers, reach: 'grant' },
  createNamespace: { needs: null, reach: 'account' },
  createPrincipal: { needs: administers, reach: 'member' },
  // Its creator is granted everything on it.
  createScope: { needs: writes, reach: 'grant' },
  createSource: { needs: writesBelow, reach: 'clamped' },
  deleteGoldenQueries: { needs: administers, reach: 'namespace' },
  deleteGrant: { needs: administers, reach: 'access' },
  deleteNamespace: { needs: administers, reach: 'tenant' },
  deletePrincipal: { needs: administers, reach: 'access' },
  deleteScope: { needs: administersScope, reach: 'subtree' },
  deleteUnits: { needs: writesBelow, reach: 'clamped' },
  evaluate: { needs: administers, reach: 'namespace' },
  exportAudit: { needs: administers, reach: 'log' },
  ingest: { needs: writesBelow, reach: 'clamped' },
  publishReport: { needs: administers, reach: 'namespace' },
  receiveBillingEvent: { needs: null, reach: 'clamped', open: 'signed by others' },
  reconcileBilling: { needs: null, reach: 'clamped', open: 'signed by others' },
  restoreUnits: { needs: writesBelow, reach: 'clamped' },
  revokeApiKey: { needs: null, reach: 'clamped' },
  seed: { needs: everything, reach: 'seed', open: 'first run' },
  transferNamespace: { needs: null, reach: 'account' },
  updateScope: { needs: administersScope, reach: 'scope' },
  updateUnit: { needs: writesBelow, reach: 'clamped' },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

/** By name; undefined for one that is not in the table. */
export const operationOf = (name: string): Operation | undefined =>
  Object.hasOwn(operations, name) ? operations[name as OperationName] : undefined
