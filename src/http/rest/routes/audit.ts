import { route } from '../route.ts'

export const listAudit = route(
  'GET',
  '/v1/audit',
  /* GraphQL */ `query ($limit: Int, $cursor: SafeInt) {
    body: audit(limit: $limit, cursor: $cursor) {
      namespace
      rows {
        namespace
        seq
        time
        principal_id: principalId
        action
        target
        outcome
        request_id: requestId
        detail
        prev_hash: prevHash
        hash
      }
      count
      next_cursor: nextCursor
    }
  }`,
  ({ query }) => ({ limit: query.get('limit'), cursor: query.get('cursor') }),
)

export const verifyAudit = route(
  'GET',
  '/v1/audit/verify',
  /* GraphQL */ `query {
    body: verifyAudit {
      namespace
      intact
      checked
      head_seq: headSeq
      head_hash: headHash
      break_at: breakAt
      reason
    }
  }`,
)

const checkpoint = `
  namespace
  origin
  size
  root_hash: rootHash
  time
  note
  verifier_key: verifierKey`

export const auditCheckpoint = route(
  'GET',
  '/v1/audit/checkpoint',
  /* GraphQL */ `query ($size: SafeInt) {
    body: auditCheckpoint(size: $size) { ${checkpoint} }
  }`,
  ({ query }) => ({ size: query.get('size') }),
)

export const auditProof = route(
  'GET',
  '/v1/audit/proof',
  /* GraphQL */ `query ($seq: SafeInt, $from: SafeInt, $size: SafeInt) {
    body: auditProof(seq: $seq, from: $from, size: $size) {
      namespace
      seq
      leaf_hash: leafHash
      from
      size
      hashes
      checkpoint { ${checkpoint} }
    }
  }`,
  ({ query }) => ({ seq: query.get('seq'), from: query.get('from'), size: query.get('size') }),
)
