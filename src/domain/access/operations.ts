import type { Permission } from '../../model/registry.ts'

/** What an operation touches beyond the caller's own planes, scopes and groups. */
export type Reach =
  /** Nothing: only Units that the caller can see, its own records, or what everyone in the namespace may know. */
  | 'clamped'
  /** A scope, in all planes and for all groups. */
  | 'scope'
  /** A scope and everything below it, in all planes and for all groups. */
  | 'subtree'
  /** Planes, for all groups. */
  | 'planes'
  /** What belongs to the namespace as a whole. */
  | 'namespace'
  /** What holds for all who use the namespace. */
  | 'settings'
  /** The namespace and everything in it. */
  | 'tenant'
  /** A principal; its groups must be among those of the caller. */
  | 'member'
  /** A grant: it opens a scope in all planes, for all groups of its holder. */
  | 'grant'
  /** Grants and principals that others created. */
  | 'access'
  /** The whole audit log. */
  | 'log'
  /** What the principal has and owns, permanently. */
  | 'account'
  /** Everything that the seed issues. */
  | 'seed'

/**
 * A permission on the scope that the operation names (by default the requested one), there or somewhere below, on the
 * whole namespace, or anywhere in it. Of several permissions, `anywhere` requires one and the others require all.
 */
export interface Need {
  perms: readonly Permission[]
  on: 'scope' | 'below' | 'namespace' | 'anywhere'
}

export interface Operation {
  /** Null where membership of the namespace is enough: such an operation need not call the access check. */
  needs: Need | null
  reach: Reach
  /** Whether it is open without a credential. It then does its own checks. */
  open?: 'public' | 'signed by others' | 'first run'
  /** It reads, and still answers with a new secret. Of a write, that is assumed. */
  makesSecret?: boolean
}

const reads: Need = { perms: ['read'], on: 'scope' }
const writes: Need = { perms: ['write'], on: 'scope' }
/** Writes touch what is writable. */
const writesBelow: Need = { perms: ['write'], on: 'below' }
const administersScope: Need = { perms: ['admin'], on: 'scope' }
const administers: Need = { perms: ['admin'], on: 'namespace' }
const seesLog: Need = { perms: ['read', 'admin'], on: 'anywhere' }
const everything: Need = { perms: ['read', 'write', 'admin'], on: 'namespace' }

/** An entry for every root field of the schema, queries first. Startup fails if a field has no entry. */
export const operations = {
  agentConnections: { needs: null, reach: 'clamped' },
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
  doc: { needs: reads, reach: 'clamped' },
  docs: { needs: reads, reach: 'clamped' },
  document: { needs: reads, reach: 'clamped' },
  documentChanges: { needs: reads, reach: 'clamped' },
  documents: { needs: reads, reach: 'clamped' },
  deletionReceipt: { needs: null, reach: 'clamped' },
  evaluationRuns: { needs: administers, reach: 'namespace' },
  explainAccess: { needs: administers, reach: 'clamped' },
  facets: { needs: reads, reach: 'clamped' },
  goldenQueries: { needs: administers, reach: 'namespace' },
  grant: { needs: administers, reach: 'clamped' },
  grants: { needs: administers, reach: 'clamped' },
  health: { needs: null, reach: 'clamped', open: 'public' },
  invitation: { needs: null, reach: 'clamped', open: 'public' },
  invitations: { needs: administers, reach: 'clamped' },
  namespace: { needs: administers, reach: 'clamped' },
  namespaces: { needs: null, reach: 'clamped' },
  principal: { needs: administers, reach: 'clamped' },
  principals: { needs: administers, reach: 'clamped' },
  scope: { needs: null, reach: 'clamped' },
  scopes: { needs: null, reach: 'clamped' },
  search: { needs: reads, reach: 'clamped' },
  searchAs: { needs: administers, reach: 'clamped' },
  signInOptions: { needs: null, reach: 'clamped', open: 'public' },
  sourceLink: { needs: reads, reach: 'clamped', makesSecret: true },
  unit: { needs: reads, reach: 'clamped' },
  units: { needs: reads, reach: 'clamped' },
  unitsAs: { needs: administers, reach: 'clamped' },
  verifyAudit: { needs: null, reach: 'clamped' },

  acceptInvitation: { needs: null, reach: 'account' },
  compact: { needs: administers, reach: 'planes' },
  createApiKey: { needs: null, reach: 'clamped' },
  createBillingPortal: { needs: null, reach: 'account' },
  createCheckout: { needs: null, reach: 'account' },
  createGoldenQueries: { needs: administers, reach: 'namespace' },
  createGrant: { needs: administers, reach: 'grant' },
  createInvitation: { needs: administers, reach: 'grant' },
  createNamespace: { needs: null, reach: 'account' },
  createPrincipal: { needs: administers, reach: 'member' },
  // Its creator gets all permissions on it.
  createScope: { needs: writes, reach: 'grant' },
  createSource: { needs: writesBelow, reach: 'clamped' },
  deleteDocuments: { needs: writesBelow, reach: 'clamped' },
  createUpload: { needs: writesBelow, reach: 'clamped' },
  deleteGoldenQueries: { needs: administers, reach: 'namespace' },
  deleteGrant: { needs: administers, reach: 'access' },
  deleteNamespace: { needs: administers, reach: 'tenant' },
  deletePrincipal: { needs: administers, reach: 'access' },
  deleteScope: { needs: administersScope, reach: 'subtree' },
  deleteUnits: { needs: writesBelow, reach: 'clamped' },
  evaluate: { needs: administers, reach: 'namespace' },
  exportAudit: { needs: administers, reach: 'log' },
  ingestDocument: { needs: writesBelow, reach: 'clamped' },
  ingest: { needs: writesBelow, reach: 'clamped' },
  publishReport: { needs: administers, reach: 'namespace' },
  receiveBillingEvent: { needs: null, reach: 'clamped', open: 'signed by others' },
  reconcileBilling: { needs: null, reach: 'clamped', open: 'signed by others' },
  resetVectors: { needs: administers, reach: 'planes' },
  restoreUnits: { needs: writesBelow, reach: 'clamped' },
  retryDocuments: { needs: writesBelow, reach: 'clamped' },
  revokeAgentConnection: { needs: null, reach: 'clamped' },
  revokeApiKey: { needs: null, reach: 'clamped' },
  revokeInvitation: { needs: administers, reach: 'access' },
  seed: { needs: everything, reach: 'seed', open: 'first run' },
  transferNamespace: { needs: null, reach: 'account' },
  updateNamespace: { needs: administers, reach: 'settings' },
  updateScope: { needs: administersScope, reach: 'scope' },
  updateUnit: { needs: writesBelow, reach: 'clamped' },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

/** Finds an operation by name; undefined if it is not in the table. */
export const operationOf = (name: string): Operation | undefined =>
  Object.hasOwn(operations, name) ? operations[name as OperationName] : undefined
