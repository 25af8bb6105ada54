import { route } from '../route.ts'
import { contextFields, locatorFields } from './selections.ts'

export const search = route(
  'POST',
  '/v1/search',
  /* GraphQL */ `query ($input: SearchInput!) {
    body: search(input: $input) {
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
        highlights { start end }
        source_uri: sourceUri
        mime
        ${locatorFields}
        metadata
        created_at: createdAt
        explain { leg rank score normalized weight }
      }
      answer
      trace {
        request_id: requestId
        planes
        clamped_planes: clampedPlanes
        legs { leg engine candidates took_ms: tookMs }
        fusion { method weights }
        rerank
        seq
        index_seq: indexSeq
        degraded
        took_ms: tookMs
      }
      context { ${contextFields} }
      hidden_by_acl: hiddenByAcl
    }
  }`,
  ({ body }) => ({ input: body }),
)
