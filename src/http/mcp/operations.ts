import { route } from '../rest/route.ts'
import { scopeFields } from '../rest/routes/scopes.ts'
import { answerFields } from '../rest/routes/search.ts'
import { contextFields, locatorFields } from '../rest/routes/selections.ts'

/** The GraphQL operations of the tools and resources. Their aliases are the names of REST. */

const factFields = /* GraphQL */ `
  unit_id: unitId
  external_id: externalId
  title
  text
  plane
  modality
  scope
  doc_id: docId
  source_uri: sourceUri
  mime
  ${locatorFields}
  metadata
  created_at: createdAt`

const hits = /* GraphQL */ `hits { ${factFields} score rank } hidden_by_acl: hiddenByAcl`

const input = ({ body }: { body: Readonly<Record<string, unknown>> }) => ({ input: body })
const itself = ({ body }: { body: Readonly<Record<string, unknown>> }) => body

export const operations = {
  search: route(
    'POST',
    '/mcp/search',
    `query ($input: SearchInput!) { body: search(input: $input) { ${hits} } }`,
    input,
  ),
  answer: route(
    'POST',
    '/mcp/answer',
    `query ($input: SearchInput!) { body: answer(input: $input) { ${hits} ${answerFields} } }`,
    input,
  ),
  unit: route('POST', '/mcp/unit', `query ($id: String!) { body: unit(unitId: $id) { ${factFields} } }`, itself),
  units: route(
    'POST',
    '/mcp/units',
    `query ($limit: Int, $cursor: SafeInt) {
      body: units(limit: $limit, cursor: $cursor) { units { ${factFields} } next_cursor: nextCursor }
    }`,
    itself,
  ),
  context: route('POST', '/mcp/context', `query { body: context { ${contextFields} } }`),
  scopes: route('POST', '/mcp/scopes', `query { body: scopes { scopes { ${scopeFields} } } }`),
  ingest: route(
    'POST',
    '/mcp/ingest',
    `mutation ($input: IngestInput!) {
      body: ingest(input: $input) {
        units { unit_id: unitId external_id: externalId status scope modality plane }
        counts { created updated unchanged }
        seq
        indexed
      }
    }`,
    input,
  ),
  delete: route(
    'POST',
    '/mcp/delete',
    `mutation ($input: DeleteUnitsInput!) {
      body: deleteUnits(input: $input) { matched tombstoned purged sources_purged: sourcesPurged seq }
    }`,
    input,
  ),
}

export type OperationName = keyof typeof operations

export const isWrite = (name: OperationName): boolean => name === 'ingest' || name === 'delete'
