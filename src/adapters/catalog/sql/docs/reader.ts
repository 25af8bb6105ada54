import type { DocReader } from '../../../../ports/catalog/doc-reader.ts'
import type { Db } from '../../database/db.ts'
import { countFacets } from './facets.ts'
import { getDoc, listDocs } from './list.ts'

export const createDocReader = (db: Db): DocReader => ({
  list: (visibility, filter, page) => listDocs(db, visibility, filter, page),
  get: (visibility, docId) => getDoc(db, visibility, docId),
  facets: (visibility, question) => countFacets(db, visibility, question),
})
