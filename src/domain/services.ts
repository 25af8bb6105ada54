import type { SearchQuery } from '../model/search.ts'
import type { Session } from '../model/session.ts'
import { planes } from '../model/unit.ts'
import { createAuthenticate } from './access/authenticate.ts'
import { describeContext } from './access/describe-context.ts'
import { createAnchoring } from './audit/anchoring.ts'
import type { CheckpointInput, ExportInput, ProofInput } from './audit/audit-input.ts'
import { createCheckpoints } from './audit/checkpoints.ts'
import { deletionReceipt } from './audit/deletion-receipt.ts'
import { exportAudit } from './audit/export-audit.ts'
import { listAudit } from './audit/list-audit.ts'
import { createNoteSigner } from './audit/note-signer.ts'
import { openExport } from './audit/open-export.ts'
import { getCheckpoint, getProof } from './audit/prove.ts'
import { createRecordQueue } from './audit/record-queue.ts'
import { createReadRecorder } from './audit/record-reads.ts'
import { createRefusalRecorder, recordRefusal } from './audit/record-refusals.ts'
import { createVerifyAudit } from './audit/verify-audit.ts'
import { createBackgroundWork } from './background/background.ts'
import { withClusterLock } from './background/with-cluster-lock.ts'
import { askProvider, lapseTiers } from './billing/background-tasks.ts'
import type { CheckoutInput, ReconcileInput, WebhookInput } from './billing/billing-input.ts'
import { createCheckout } from './billing/checkout.ts'
import { createPlans } from './billing/plans.ts'
import { openPortal } from './billing/portal.ts'
import { receiveEvent } from './billing/receive-event.ts'
import { reconcile } from './billing/reconcile.ts'
import { getSubscription } from './billing/subscription.ts'
import type { Bindings, DomainSettings } from './bindings/bindings.ts'
import { changeModels } from './embedding/change-models.ts'
import { embedPending } from './embedding/embed-pending.ts'
import { evaluate, listEvaluations } from './evaluation/evaluate.ts'
import type { EvaluateInput, GoldenInput, PublishInput } from './evaluation/evaluation-input.ts'
import { createGoldenQueries, deleteGoldenQueries, listGoldenQueries } from './evaluation/golden-queries.ts'
import { publishedReport, publishReport } from './evaluation/published-report.ts'
import { explainAccess } from './explain/explain-access.ts'
import type { ExplainInput } from './explain/explain-input.ts'
import { health } from './health.ts'
import { compact, compactionStatus } from './indexing/compaction.ts'
import type { CompactionInput } from './indexing/compaction-input.ts'
import { feedsOf } from './indexing/feeds.ts'
import { createIndexer } from './indexing/indexer.ts'
import type { PageInput } from './input/page.ts'
import type { KeyInput } from './keys/key-input.ts'
import { createKey, listKeys, revokeKey } from './keys/keys.ts'
import { recordUses } from './keys/record-uses.ts'
import { claimNamespace } from './registries/claim-namespace.ts'
import { createGrant, deleteGrant, getGrant, listGrants } from './registries/grants.ts'
import { deleteNamespace, getNamespace, listNamespaces } from './registries/namespaces.ts'
import { createPrincipal, deletePrincipal, getPrincipal, listPrincipals } from './registries/principals.ts'
import type { GrantInput, PrincipalInput, TransferInput } from './registries/registry-input.ts'
import { transferNamespace } from './registries/transfer-namespace.ts'
import type { ScopeChanges } from './scopes/scope-input.ts'
import { createScope, deleteScope, getScope } from './scopes/scopes.ts'
import { sweepScopes } from './scopes/sweep-scopes.ts'
import { updateScope } from './scopes/update-scope.ts'
import { answer, search } from './search/search.ts'
import { rotateSeedTokens } from './seed/rotate.ts'
import { seed } from './seed/seed.ts'
import { createSource } from './sources/create-source.ts'
import { purgeSources } from './sources/purge-sources.ts'
import type { SourceInput } from './sources/source-input.ts'
import { catalogStats } from './stats/catalog-stats.ts'
import { createQueryCounter } from './stats/query-counter.ts'
import { type ExportOutput, exportNamespaces } from './transfer/export-namespaces.ts'
import { type ImportInput, importNamespaces } from './transfer/import-namespaces.ts'
import { createFairTurns } from './turns/fair-turns.ts'
import { capacity, heavy, weightOfBatch, weightOfQuery } from './turns/weights.ts'
import type { DeleteInput } from './units/delete-input.ts'
import { deleteUnits } from './units/delete-units.ts'
import { ingest } from './units/ingest.ts'
import { listUnits, readUnit } from './units/read-units.ts'
import { restoreUnits } from './units/restore-units.ts'
import type { IngestInput, UnitChanges } from './units/unit-input.ts'
import { updateUnit } from './units/update-unit.ts'

export type Domain = ReturnType<typeof createDomain>
export type Services = ReturnType<Domain['servicesFor']>

/** The domain, built from its bindings. `servicesFor` binds a session once, so no call can forget its tenant. */
export function createDomain(bindings: Bindings, settings: DomainSettings) {
  const { catalog, clock, log } = bindings
  const indexer = createIndexer(catalog, feedsOf(bindings), log)
  const queries = createQueryCounter(catalog.usage, clock)
  const signer = createNoteSigner(settings.audit)
  const anchoring = createAnchoring({ ...bindings, signer })
  const checkpoints = createCheckpoints({ ...bindings, brand: settings.brand, ...settings.audit, signer, anchoring })
  const verifyAudit = createVerifyAudit({ ...bindings, signer })
  const records = createRecordQueue(bindings, settings.audit.reads === 'sync')
  const reads = createReadRecorder(records, clock, settings.audit)
  const refusals = createRefusalRecorder(records, clock)
  const indexed = { ...bindings, ...settings, indexer, queries, reads, refusals, checkpoints, signer, anchoring }
  const background = createBackgroundWork(
    [
      sweepScopes(indexed),
      withClusterLock(catalog, embedPending(indexed)),
      { name: 'take up indexing', run: () => indexer.resume().then(() => 0) },
      { name: 'write query counts', run: () => queries.flush() },
      { name: 'record uses of keys', run: () => recordUses(bindings) },
      { name: 'remove export links that ran out', run: () => catalog.exports.removeExpired(clock.now()) },
      { name: 'erase what was hard-deleted', run: () => (catalog.eraseDeleted?.() ?? Promise.resolve()).then(() => 0) },
      { name: 'record counts of refusals', run: () => refusals.sweep() },
      { name: 'sign audit logs', run: () => checkpoints.signDue() },
    ],
    log,
  )
  // Separate, so that a provider or store that hangs, or work that takes hours, does not block anything else.
  const purging = createBackgroundWork([purgeSources(bindings)], log)
  const billingBackground = createBackgroundWork([lapseTiers(indexed), askProvider(indexed)], log)
  const modelChanges = planes.map((plane) =>
    createBackgroundWork([withClusterLock(catalog, changeModels(indexed, plane))], log),
  )
  const deps = { ...indexed, background, purging, billingBackground }
  const turns = createFairTurns(capacity)
  const reading = <T>({ principalId }: Session, weight: number, work: () => Promise<T>) =>
    turns.run(`read ${principalId}`, weight, work)
  // Separate: writes wait for each other in the catalog, and reads must not wait behind them.
  const writing = <T>({ principalId }: Session, weight: number, work: () => Promise<T>) =>
    turns.run(`write ${principalId}`, weight, work)
  return {
    authenticate: createAuthenticate(deps),
    health: () => health(deps),
    /** Records that an operation was refused to its caller. */
    refused: (session: Session, operation: string, error: unknown) =>
      recordRefusal(refusals, session, operation, error),
    /** Uses a link to an exported log; null for an invalid one. */
    openExport: (token: string, requestId: string, options: { peek: boolean }) =>
      openExport(deps, token, requestId, options),
    seed: (caller: Session | null, requestId: string) => seed(deps, caller, requestId),
    /** For the operator of the service: it bypasses access control. */
    rotateSeedTokens: (requestId: string) => rotateSeedTokens(deps, requestId),
    /** For the operator of the service: it bypasses access control. */
    transfer: {
      export: (name: string | null, output: ExportOutput) => exportNamespaces(deps, name, output),
      import: (input: ImportInput) => importNamespaces(deps, input),
    },
    billing: {
      plans: createPlans(deps),
      receiveEvent: (event: WebhookInput, requestId: string) => receiveEvent(deps, event, requestId),
      reconcile: (input: ReconcileInput, requestId: string) => reconcile(deps, input, requestId),
    },
    servicesFor: (session: Session) => ({
      context: () => describeContext(session),
      scopes: {
        list: () => session.visibleScopes,
        get: (path: string) => getScope(session, path),
        create: (path: string) => createScope(deps, session, path),
        update: (path: string, changes: ScopeChanges) => updateScope(deps, session, path, changes),
        delete: (path: string) => deleteScope(deps, session, path),
      },
      units: {
        list: (page: PageInput) => reading(session, heavy, () => listUnits(deps, session, page)),
        get: (unitId: string) => readUnit(deps, session, unitId),
        ingest: (input: IngestInput) => writing(session, weightOfBatch(input), () => ingest(deps, session, input)),
        update: (unitId: string, changes: UnitChanges) => updateUnit(deps, session, unitId, changes),
        delete: (input: DeleteInput) => writing(session, heavy, () => deleteUnits(deps, session, input)),
        restore: (ids: readonly string[]) => writing(session, heavy, () => restoreUnits(deps, session, ids)),
      },
      namespaces: {
        list: () => listNamespaces(deps, session),
        get: (name: string) => getNamespace(deps, session, name),
        create: (name: string) => claimNamespace(deps, session, name),
        transfer: (input: TransferInput) => transferNamespace(deps, session, input),
        delete: (name: string) => deleteNamespace(deps, session, name),
      },
      grants: {
        list: () => listGrants(deps, session),
        get: (id: string) => getGrant(deps, session, id),
        create: (input: GrantInput) => createGrant(deps, session, input),
        delete: (id: string) => deleteGrant(deps, session, id),
      },
      principals: {
        list: () => listPrincipals(deps, session),
        get: (id: string) => getPrincipal(deps, session, id),
        create: (input: PrincipalInput) => createPrincipal(deps, session, input),
        delete: (id: string) => deletePrincipal(deps, session, id),
      },
      keys: {
        list: () => listKeys(deps, session),
        create: (input: KeyInput) => createKey(deps, session, input),
        revoke: (id: string) => revokeKey(deps, session, id),
      },
      audit: {
        list: (page: PageInput) => listAudit(catalog.audit, session, page),
        verify: () => reading(session, heavy, () => verifyAudit(session)),
        checkpoint: (input: CheckpointInput) => getCheckpoint(deps, session, input),
        proof: (input: ProofInput) => getProof(deps, session, input),
        deletion: (seq: number) => deletionReceipt(deps, session, seq),
        export: (input: ExportInput) => exportAudit(deps, session, input),
      },
      billing: {
        subscription: () => getSubscription(deps, session),
        checkout: (input: CheckoutInput) => createCheckout(deps, session, input),
        portal: () => openPortal(deps, session),
      },
      explainAccess: (input: ExplainInput) => explainAccess(deps, session, input),
      search: (query: SearchQuery) => reading(session, weightOfQuery(query), () => search(deps, session, query)),
      answer: (query: SearchQuery) => reading(session, weightOfQuery(query), () => answer(deps, session, query)),
      goldenQueries: {
        list: (page: PageInput) => listGoldenQueries(deps, session, page),
        create: (input: GoldenInput) => createGoldenQueries(deps, session, input),
        delete: (ids: readonly string[]) => deleteGoldenQueries(deps, session, ids),
      },
      evaluations: {
        list: () => listEvaluations(deps, session),
        run: (input: EvaluateInput) => reading(session, capacity, () => evaluate(deps, session, input)),
        publish: (input: PublishInput) => publishReport(deps, session, input),
      },
      publishedReport: () => publishedReport(deps, session),
      catalogStats: () => catalogStats(deps, session),
      compaction: {
        status: () => compactionStatus(deps, session),
        run: (input: CompactionInput) => writing(session, heavy, () => compact(deps, session, input)),
      },
      createSource: (input: SourceInput) => writing(session, heavy, () => createSource(deps, session, input)),
    }),
    background,
    billingBackground,
    /** Resumes what an earlier process left unfinished. */
    start: () => {
      catalog.onChange?.(indexer.notify)
      void anchoring.compare()
      background.kick()
      purging.kick()
      billingBackground.kick()
      for (const changes of modelChanges) changes.kick()
    },
    stop: async () => {
      await Promise.all([background, purging, billingBackground, ...modelChanges].map((work) => work.stop()))
      // First, so that no later failure can prevent them from being written.
      await refusals.stop().finally(() => records.stop())
      await checkpoints.signGrown()
      await indexer.stop()
      for (const written of await Promise.allSettled([queries.flush(), recordUses(bindings)])) {
        if (written.status === 'rejected')
          log.warn({ err: written.reason }, 'counts of use are lost: the catalog failed')
      }
    },
  }
}
