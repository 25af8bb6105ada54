import { route } from '../route.ts'
import { contextFields, locatorFields } from './selections.ts'

const hits = /* GraphQL */ `
  hits {
    unit_id: unitId
    external_id: externalId
    score
    rank
    plane
    modality
    scope
    doc_id: docId
    text
    text_start: textStart
    highlights { start end }
    source_uri: sourceUri
    mime
    ${locatorFields}
    metadata
    created_at: createdAt
    explain { leg rank score normalized weight }
  }`

export const answerFields = /* GraphQL */ `
  answer {
    text
    citations { marker unit_id: unitId quote start end sha256 ${locatorFields} source_uri: sourceUri }
    nli_faithfulness: nliFaithfulness
    confidence
    faithfulness { method min unsupported }
    abstained
    model
  }`

const rest = /* GraphQL */ `
  trace {
    request_id: requestId
    planes
    clamped_planes: clampedPlanes
    legs { leg engine candidates took_ms: tookMs }
    fusion { method weights }
    rerank
    answer { passages removed steps { query hits kept took_ms: tookMs } took_ms: tookMs }
    seq
    index_seq: indexSeq
    degraded
    took_ms: tookMs
  }
  context { ${contextFields} }
  hidden_by_acl: hiddenByAcl`

export const search = route(
  'POST',
  '/v1/search',
  /* GraphQL */ `query ($input: SearchInput!) { body: search(input: $input) { ${hits} ${answerFields} ${rest} } }`,
  ({ body }) => ({ input: body }),
)

export const answer = route(
  'POST',
  '/v1/answer',
  /* GraphQL */ `query ($input: SearchInput!) { body: answer(input: $input) { ${answerFields} ${hits} ${rest} } }`,
  ({ body }) => ({ input: body }),
)
