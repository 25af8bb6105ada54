import type { Session } from '../../model/session.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import type { DocsInput, FacetsInput } from './doc-input.ts'
import { listDocs, readDoc, readFacets } from './read-docs.ts'

type Deps = Parameters<typeof listDocs>[0] & { turns: Turns }

export const createDocs = (deps: Deps) => (session: Session) => ({
  list: (input: DocsInput) => deps.turns.answering(session, heavy, () => listDocs(deps, session, input)),
  get: (docId: string) => readDoc(deps, session, docId),
  facets: (input: FacetsInput) => deps.turns.answering(session, heavy, () => readFacets(deps, session, input)),
})
