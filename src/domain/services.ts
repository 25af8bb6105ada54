import type { Session } from '../model/session.ts'
import type { Plane } from '../model/unit.ts'
import { createAuthenticate, removeExpired, signInOptions } from './access/authenticate.ts'
import { createRequestLimits } from './access/request-limits.ts'
import { describeContext } from './access/visibility.ts'
import { createAgents } from './agents/agents.ts'
import { createLogAges, withLogAges } from './audit/log-ages.ts'
import { createAudit } from './audit/services.ts'
import { createBackgroundWork, every } from './background/background.ts'
import { createBilling } from './billing/billing.ts'
import type { Bindings, DomainSettings } from './bindings/bindings.ts'
import { createDocs } from './docs/docs.ts'
import { createDocuments } from './documents/documents.ts'
import { createEmbedding } from './embedding/background.ts'
import { embed } from './embedding/embed.ts'
import type { EmbedInput } from './embedding/embed-input.ts'
import { resetVectors } from './embedding/reset-vectors.ts'
import { createEvaluation } from './evaluation/evaluate.ts'
import { explainAccess } from './explain/explain-access.ts'
import type { ExplainInput } from './explain/explain-input.ts'
import { createGroups } from './groups/groups.ts'
import { createHealth, createLoad, loadFor } from './health.ts'
import { afterSeq } from './indexing/indexer.ts'
import { createIndexing } from './indexing/services.ts'
import { createInvitations } from './invitations/invitations.ts'
import { createKeys } from './keys/keys.ts'
import { createOperator, operatorOf } from './registries/operator.ts'
import { createRegistries } from './registries/registries.ts'
import { describeViewer } from './registries/viewer.ts'
import { createScopes, eraseScopes, sweepScopes } from './scopes/scopes.ts'
import { hiddenCounter } from './search/count-hidden.ts'
import { createSearch } from './search/search.ts'
import { getSynonyms, setSynonyms, synonymFinder } from './search/synonyms.ts'
import type { SynonymsInput } from './search/synonyms-input.ts'
import { rotateSeedTokens, seed } from './seed/seed.ts'
import { createSources } from './sources/sources.ts'
import { createStats } from './stats/stats.ts'
import { createTurns, heavy } from './turns/turns.ts'
import { createUnits } from './units/units.ts'
import { createViewAs } from './view-as/view-as.ts'
import { createWrites, createWritingCatalog } from './writes/writes.ts'

export type Domain = ReturnType<typeof createDomain>
export type Services = ReturnType<Domain['servicesFor']>

/**
 * The domain, built from its bindings: it composes what each folder makes. `servicesFor` binds a session once, so no
 * call can forget its tenant.
 */
export function createDomain(bindings: Bindings, settings: DomainSettings) {
  const { log, clock } = bindings
  const logAges = createLogAges(clock)
  const catalog = createWritingCatalog(withLogAges(bindings.catalog, logAges), clock)
  const bound = { ...bindings, ...settings, catalog, logAges, turns: createTurns() }
  const indexing = createIndexing(bound)
  const { indexer } = indexing
  const stats = createStats({ ...bound, indexer })
  const { queries } = stats
  const audit = createAudit({ ...bound, queries })
  const sources = createSources(bound)
  const { purging } = sources
  const embedSoon = () => background.kick()
  const shared = {
    ...bound,
    ...audit.shared,
    indexer,
    queries,
    purging,
    embedSoon,
    countHidden: hiddenCounter(),
    synonymsOf: synonymFinder(bound),
  }
  const units = createUnits(shared)
  const documents = createDocuments(shared)
  const docs = createDocs(shared)
  const keys = createKeys(shared)
  const agents = createAgents(shared)
  const billing = createBilling(shared)
  const embedding = createEmbedding(shared)
  const writes = createWrites(bound)
  const limits = createRequestLimits(bound)
  const folders = [embedding, indexing, stats, keys, agents, units, audit, writes, limits]
  const { everyMs } = settings.sweeping
  const sweeps = [eraseScopes(shared), removeExpired(shared)].map((task) => every(clock, everyMs, task))
  const tasks = [sweepScopes(shared), ...sweeps, ...folders.flatMap((folder) => folder.tasks)]
  const background = createBackgroundWork(tasks, log)
  const scopes = createScopes({ ...shared, background })
  const invitations = createInvitations(shared)
  const registries = createRegistries({ ...shared, background })
  const searching = createSearch(shared)
  const evaluation = createEvaluation(shared)
  const viewAs = createViewAs(shared)
  const load = createLoad(shared)
  const works = [background, purging, documents.runner, billing.background, ...embedding.modelChanges]
  return {
    authenticate: createAuthenticate({ ...shared, countRequest: limits.countRequest }),
    afterSeq: (namespaceId: string, sent: string, waits: boolean) => afterSeq(shared, namespaceId, sent, waits),
    ...createHealth(shared),
    telemetry: bindings.telemetry,
    load,
    loadFor: (session: Session | null) => loadFor(load, session),
    signInOptions: () => signInOptions(shared),
    invitationOffer: invitations.offer,
    isInvited: invitations.isInvited,
    refused: audit.refused,
    write: writes.write,
    agents: { register: agents.register, check: agents.check, exchange: agents.exchange },
    openExport: audit.openExport,
    receiveUpload: sources.receiveUpload,
    openSource: sources.openSource,
    seed: (caller: Session | null, requestId: string) => seed(shared, caller, requestId),
    /** For the operator of the service: these bypass access control. */
    operator: operatorOf(shared),
    rotateSeedTokens: (requestId: string) => rotateSeedTokens(shared, requestId),
    billing: billing.open,
    servicesFor: bindingOf({
      context: (session) => () => describeContext(session),
      scopes,
      units: units.servicesFor,
      namespaces: (session) => registries(session).namespaces,
      grants: (session) => registries(session).grants,
      principals: (session) => registries(session).principals,
      operator: createOperator(shared),
      viewer: (session) => () => describeViewer(shared, session),
      names: (session) => (ids: readonly string[]) => catalog.registry.names(session.namespace.id, ids),
      groups: createGroups(shared),
      invitations: invitations.servicesFor,
      keys: keys.servicesFor,
      agents: agents.servicesFor,
      audit: audit.servicesFor,
      billing: billing.servicesFor,
      explainAccess: (session) => (input: ExplainInput) => explainAccess(shared, session, input),
      search: (session) => searching(session).search,
      answer: (session) => searching(session).answer,
      embed: (session) => (input: EmbedInput) => embed(bound, session, input),
      streamAnswer: (session) => searching(session).streamAnswer,
      viewAs,
      synonyms: (session) => ({
        get: () => getSynonyms(shared, session),
        set: (input: SynonymsInput) => setSynonyms(shared, session, input),
      }),
      goldenQueries: (session) => evaluation(session).goldenQueries,
      evaluations: (session) => evaluation(session).evaluations,
      publishedReport: (session) => evaluation(session).publishedReport,
      catalogStats: (session) => stats.servicesFor(session).catalogStats,
      usageSeries: (session) => stats.servicesFor(session).usageSeries,
      compaction: indexing.servicesFor,
      resetVectors: (session) => (plane: Plane) =>
        bound.turns.writing(session, heavy, () => resetVectors({ ...shared, background }, session, plane)),
      createSource: (session) => sources.servicesFor(session).createSource,
      uploadOptions: (session) => sources.servicesFor(session).uploadOptions,
      createUpload: (session) => sources.servicesFor(session).createUpload,
      source: (session) => sources.servicesFor(session).source,
      deleteSource: (session) => sources.servicesFor(session).deleteSource,
      sourceLink: (session) => sources.servicesFor(session).sourceLink,
      documents: documents.servicesFor,
      docs,
    }),
    background,
    documentRuns: documents.runner,
    endWatches: documents.endWatches,
    purging,
    billingBackground: billing.background,
    /** Resumes what an earlier process left unfinished. */
    start: () => {
      catalog.onChange?.(indexer.notify)
      void shared.anchoring.compare()
      for (const work of works) work.kick()
    },
    stop: async () => {
      await Promise.all(works.map((work) => work.stop()))
      // First, so that no later failure can prevent its rows from being written.
      await audit.stop()
      await indexer.stop()
      for (const written of await Promise.allSettled([queries.flush(), keys.recordUses()])) {
        if (written.status === 'rejected') log.warn({ err: written.reason }, 'use counts are lost: the catalog failed')
      }
    },
  }
}

type Factories = Readonly<Record<string, (session: Session) => unknown>>
type Bound<F extends Factories> = { readonly [Name in keyof F]: ReturnType<F[Name]> }

/** Binds a session. A service is made when it is accessed: a request uses one of them. */
function bindingOf<F extends Factories>(factories: F): (session: Session) => Bound<F> {
  class Services {
    readonly session: Session
    constructor(session: Session) {
      this.session = session
    }
  }
  for (const [name, make] of Object.entries(factories)) {
    Object.defineProperty(Services.prototype, name, {
      get(this: Services) {
        return make(this.session)
      },
    })
  }
  return (session) => new Services(session) as unknown as Bound<F>
}
