import { notFound } from '../../errors.ts'
import type { Doc, Heading, Section } from '../../model/doc.ts'
import type { Session } from '../../model/session.ts'
import { headingsOf } from '../../model/unit.ts'
import { admit } from '../access/gate.ts'
import { describeContext, visibilityOf } from '../access/visibility.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { nextCursor, pageWithin } from '../input/page.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import type { DocsInput, FacetsInput, OutlineInput } from './doc-input.ts'

type ReadDocsDeps = Pick<Bindings, 'catalog'> & { reads: ReadRecorder }

/** A page by first write, newest first. The audit log records the read. */
async function listDocs({ catalog, reads }: ReadDocsDeps, session: Session, { prefix, filters, ...page }: DocsInput) {
  admit(session, 'docs')
  const listed = await catalog.docs.list(visibilityOf(session, 'read'), { prefix, filters }, page)
  await reads.listedDocs(session, { docs: listed.items.length, ...page })
  return { ...listed, context: describeContext(session), nextCursor: nextCursor(page, listed.count) }
}

/** 404 for one that is unknown, hidden or out of scope. The audit log records the read. */
async function readDoc({ catalog, reads }: ReadDocsDeps, session: Session, docId: string): Promise<Doc> {
  admit(session, 'doc')
  const doc = await getDoc(catalog, session, docId)
  await reads.gotDoc(session, docId)
  return doc
}

async function getDoc(catalog: ReadDocsDeps['catalog'], session: Session, docId: string): Promise<Doc> {
  const doc = await catalog.docs.get(visibilityOf(session, 'read'), docId)
  if (!doc) throw notFound('no such document: docId must be that of a Unit that you may read')
  return doc
}

/** The headings above readable Units, in the order of the text. 404 as for `doc`. The audit log records the read. */
async function readOutline({ catalog, reads }: ReadDocsDeps, session: Session, input: OutlineInput) {
  admit(session, 'outline')
  const { docId, ...page } = input
  const { title } = await getDoc(catalog, session, docId)
  const sections = await catalog.docs.sections(visibilityOf(session, 'read'), docId)
  await reads.gotDoc(session, docId)
  return { docId, title, ...pageWithin(headingsIn(sections), page) }
}

/** A heading is above all Units that follow until another takes its place. */
function headingsIn(sections: readonly Section[]): Heading[] {
  const headings: Heading[] = []
  let open: Heading[] = []
  for (const { title, unitId, units } of sections) {
    const path = title === null ? [] : headingsOf(title)
    const changed = path.findIndex((heading, i) => open[i]?.title !== heading)
    const begun = changed < 0 ? [] : path.slice(changed)
    open = open.slice(0, changed < 0 ? path.length : changed)
    for (const heading of begun) {
      const one = { title: heading, level: open.length + 1, unitId, units: 0 }
      open.push(one)
      headings.push(one)
    }
    for (const heading of open) heading.units += units
  }
  return headings
}

/** Counts readable Units that meet the filters. The audit log records the read. */
async function readFacets({ catalog, reads }: ReadDocsDeps, session: Session, input: FacetsInput) {
  admit(session, 'facets')
  const facets = await catalog.docs.facets(visibilityOf(session, 'read'), input)
  await reads.countedFacets(session, { fields: input.fields.join(','), units: facets.count })
  return { ...facets, context: describeContext(session) }
}

type Deps = Parameters<typeof listDocs>[0] & { turns: Turns }

export const createDocs = (deps: Deps) => (session: Session) => ({
  list: (input: DocsInput) => deps.turns.answering(session, heavy, () => listDocs(deps, session, input)),
  get: (docId: string) => readDoc(deps, session, docId),
  outline: (input: OutlineInput) => deps.turns.answering(session, heavy, () => readOutline(deps, session, input)),
  facets: (input: FacetsInput) => deps.turns.answering(session, heavy, () => readFacets(deps, session, input)),
})
