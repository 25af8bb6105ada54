import { notFound } from '../../errors.ts'
import type { Doc, Facets } from '../../model/doc.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import { type ContextView, describeContext, visibilityOf } from '../access/visibility.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { nextCursor, type Page } from '../input/page.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import type { DocsInput, FacetsInput } from './doc-input.ts'

type ReadDocsDeps = Pick<Bindings, 'catalog'> & { reads: ReadRecorder }

export interface DocPage extends Page<Doc> {
  context: ContextView
}

/** A page by first write, newest first. The audit log records the read. */
async function listDocs(
  { catalog, reads }: ReadDocsDeps,
  session: Session,
  { prefix, filters, ...page }: DocsInput,
): Promise<DocPage> {
  admit(session, 'docs')
  const listed = await catalog.docs.list(visibilityOf(session, 'read'), { prefix, filters }, page)
  await reads.listedDocs(session, { docs: listed.items.length, ...page })
  return { ...listed, context: describeContext(session), nextCursor: nextCursor(page, listed.count) }
}

/** 404 for one that is unknown, hidden or out of scope. The audit log records the read. */
async function readDoc({ catalog, reads }: ReadDocsDeps, session: Session, docId: string): Promise<Doc> {
  admit(session, 'doc')
  const doc = await catalog.docs.get(visibilityOf(session, 'read'), docId)
  if (!doc) throw notFound('no such document: docId must be that of a Unit that you may read')
  await reads.gotDoc(session, docId)
  return doc
}

export interface FacetsView extends Facets {
  context: ContextView
}

/** Counts readable Units that meet the filters. The audit log records the read. */
async function readFacets({ catalog, reads }: ReadDocsDeps, session: Session, input: FacetsInput): Promise<FacetsView> {
  admit(session, 'facets')
  const facets = await catalog.docs.facets(visibilityOf(session, 'read'), input)
  await reads.countedFacets(session, { fields: input.fields.join(','), units: facets.count })
  return { ...facets, context: describeContext(session) }
}

type Deps = Parameters<typeof listDocs>[0] & { turns: Turns }

export const createDocs = (deps: Deps) => (session: Session) => ({
  list: (input: DocsInput) => deps.turns.answering(session, heavy, () => listDocs(deps, session, input)),
  get: (docId: string) => readDoc(deps, session, docId),
  facets: (input: FacetsInput) => deps.turns.answering(session, heavy, () => readFacets(deps, session, input)),
})
