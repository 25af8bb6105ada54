import { notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { ScopePattern } from '../../model/registry.ts'
import { Session } from '../../model/session.ts'
import { admit, enter } from '../access/gate.ts'
import { type ContextView, describeContext } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { admitSearch, find, type SearchAnswer, type SearchDeps } from '../search/search.ts'
import { heavy, type Turns, weightOfQuery } from '../turns/turns.ts'
import { pageOfUnits, type UnitPage } from '../units/units.ts'
import type { SearchAsInput, UnitsAsInput } from './view-as-input.ts'

type ViewAsDeps = SearchDeps & Pick<Bindings, 'catalog' | 'clock'>

/**
 * What a search finds for a principal that may read only what another principal and the calling admin may both read.
 * Audited. Errors: 403 as the other principal gets it; 404 for one that is not of the namespace.
 */
async function searchAs(
  deps: ViewAsDeps,
  session: Session,
  { principalId, input }: SearchAsInput,
): Promise<SearchAnswer> {
  admit(session, 'searchAs')
  const subject = await subjectOf(deps, session, principalId, input.scope)
  const started = performance.now()
  const found = await find(deps, admitSearch(withViewer(subject, session), 'search', input), input)
  const result = found.result(null)
  deps.queries.queried(session.namespace.id, { answer: false, ms: performance.now() - started })
  const searched = { operation: 'search', hits: result.hits.length, ...deps.reads.detailOf(session, input.q) }
  await record(deps, session, subject, searched)
  return { ...result, context: contextOf(subject, session) }
}

/** The same for a list of Units. */
async function unitsAs(
  { catalog, clock }: Pick<ViewAsDeps, 'catalog' | 'clock'>,
  session: Session,
  { principalId, ...page }: UnitsAsInput,
): Promise<UnitPage> {
  admit(session, 'unitsAs')
  const subject = await subjectOf({ catalog, clock }, session, principalId)
  const viewed = withViewer(subject, session)
  admit(viewed, 'units')
  const listed = await pageOfUnits(catalog, viewed, page)
  await record({ catalog, clock }, session, subject, { operation: 'units', hits: listed.units.length })
  return { ...listed, context: contextOf(subject, session) }
}

type Deps = Pick<ViewAsDeps, 'catalog' | 'clock'>

/** The principal's session, as its own unrestricted token would have it now, in the requested scope or its own. */
async function subjectOf(
  { catalog, clock }: Deps,
  { namespace, requestId, facts }: Session,
  principalId: string,
  scope?: ScopePattern,
): Promise<Session> {
  const found = (await enter(catalog.access, principalId, namespace.name, clock.now()))?.found
  if (found?.namespace.id !== namespace.id)
    throw notFound('no such principal: principalId must be the id of a principal of the namespace')
  return new Session({ ...found, restrictions: {}, requestedScope: facts.requestedScope ?? scope, requestId })
}

const withViewer = (subject: Session, viewer: Session): Session => subject.with({ viewer })

/** The principal's own context, less scopes that the viewer may not see. */
function contextOf(subject: Session, viewer: Session): ContextView {
  const context = describeContext(subject)
  const seen = (path: string) => viewer.mayAny(path)
  return {
    ...context,
    effectiveScopes: context.effectiveScopes.filter(seen),
    allowedScopes: context.allowedScopes.filter(seen),
    foldersVisible: subject.visibleScopes.filter(({ scope }) => seen(scope)).length,
  }
}

async function record(
  { catalog, clock }: Deps,
  session: Session,
  subject: Session,
  detail: Parameters<typeof auditEntry>[4],
): Promise<void> {
  const viewed = { ...detail, scope: subject.requestedScope }
  const entry = auditEntry(session, clock.now(), 'access.view_as', subject.principalId, viewed)
  await catalog.transact(session.namespace.id, (tx) => tx.audit(entry))
}

export const createViewAs = (deps: ViewAsDeps & { turns: Turns }) => (session: Session) => ({
  search: (asked: SearchAsInput) =>
    deps.turns.answering(session, weightOfQuery(asked.input), () => searchAs(deps, session, asked)),
  units: (asked: UnitsAsInput) => deps.turns.answering(session, heavy, () => unitsAs(deps, session, asked)),
})
