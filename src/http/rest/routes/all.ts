import { auditCheckpoint, auditProof, listAudit, verifyAudit } from './audit.ts'
import { createCheckout, getPlans, getSubscription, openPortal, receiveEvent, reconcile } from './billing.ts'
import { getCompaction, getStats, runCompaction, runSeed } from './catalog.ts'
import { getContext, getHealth } from './health.ts'
import {
  createGrant,
  createNamespace,
  createPrincipal,
  deleteGrant,
  deleteNamespace,
  deletePrincipal,
  getGrant,
  getNamespace,
  getPrincipal,
  listGrants,
  listNamespaces,
  listPrincipals,
} from './registries.ts'
import { getBenchmarks, getEval } from './reports.ts'
import { createScope, deleteScope, getScope, listScopes } from './scopes.ts'
import { answer, search } from './search.ts'
import { deleteUnits, getUnit, ingest, listUnits } from './units.ts'

/** The whole contract under /v1; all other paths answer 404. */
export const routes = [
  getHealth,
  getContext,
  listScopes,
  createScope,
  getScope,
  deleteScope,
  search,
  answer,
  listUnits,
  getUnit,
  ingest,
  deleteUnits,
  getStats,
  getCompaction,
  runCompaction,
  listAudit,
  verifyAudit,
  auditCheckpoint,
  auditProof,
  listNamespaces,
  createNamespace,
  getNamespace,
  deleteNamespace,
  listGrants,
  createGrant,
  getGrant,
  deleteGrant,
  listPrincipals,
  createPrincipal,
  getPrincipal,
  deletePrincipal,
  getPlans,
  createCheckout,
  getSubscription,
  openPortal,
  receiveEvent,
  reconcile,
  runSeed,
  getBenchmarks,
  getEval,
]
