import { route } from '../route.ts'
import { contextFields, unitFields } from './selections.ts'

export const listUnits = route(
  'GET',
  '/v1/units',
  /* GraphQL */ `query ($limit: Int, $cursor: SafeInt) {
    body: units(limit: $limit, cursor: $cursor) {
      units { ${unitFields} }
      hidden_by_acl: hiddenByAcl
      context { ${contextFields} }
      next_cursor: nextCursor
    }
  }`,
  ({ query }) => ({ limit: query.get('limit'), cursor: query.get('cursor') }),
)

export const getUnit = route(
  'GET',
  '/v1/units/:id',
  /* GraphQL */ `query ($id: String!) { body: unit(unitId: $id) { ${unitFields} } }`,
  ({ params }) => params,
  { tagged: true },
)

export const ingest = route(
  'POST',
  '/v1/ingest',
  /* GraphQL */ `mutation ($input: IngestInput!) {
    body: ingest(input: $input) {
      units { unit_id: unitId external_id: externalId status scope modality plane }
      counts { created updated unchanged }
      seq
      indexed
    }
  }`,
  ({ body }) => ({ input: body }),
)

export const deleteUnits = route(
  'POST',
  '/v1/units:delete',
  /* GraphQL */ `mutation ($input: DeleteUnitsInput!) {
    body: deleteUnits(input: $input) { matched tombstoned purged sources_purged: sourcesPurged seq }
  }`,
  ({ body }) => ({ input: body }),
)
