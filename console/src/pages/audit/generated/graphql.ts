/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** The format of an exported log. Each line is a JSON object. */
export type AuditExportFormat =
  /** The rows as they were hashed, oldest first. `audit verify` checks this format. */
  | 'ndjson'
  /** Events of the Open Cybersecurity Schema Framework. They cannot be verified; the hashes are in `unmapped`. */
  | 'ocsf';

/** Which rows of an audit log to list: those that match every field that is sent. */
export type AuditFilterInput = {
  /** What was done, such as `units.ingest`. 1 to 128 characters. */
  action?: string | null | undefined;
  /** Epoch milliseconds, inclusive. */
  after?: number | null | undefined;
  /** Epoch milliseconds, inclusive. */
  before?: number | null | undefined;
  /** `ok`, or the error code of what was refused. 1 to 128 characters. */
  outcome?: string | null | undefined;
  /** False leaves out what the caller itself listed, counted and opened, as the pages of a console do. Searches and answers stay. */
  ownReads?: boolean | null | undefined;
  /** The principal that acted. 1 to 128 characters. */
  principalId?: string | null | undefined;
  /** The `X-Request-Id` of the request. 1 to 128 characters. */
  requestId?: string | null | undefined;
  /** What it was done to: an id, a name or a scope path. 1 to 2,048 characters. */
  target?: string | null | undefined;
};

export type AuditLogQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
  filter?: AuditFilterInput | null | undefined;
}>;


export type AuditLogQuery = { audit: { namespace: string, count: number, whole: boolean, nextCursor: number | null, rows: Array<{ principalName: string | null, namespace: string, seq: number, time: number, principalId: string, action: string, target: string | null, outcome: string, requestId: string, detail: unknown, prevHash: string, hash: string }> } | null };

export type LogRowFragment = { namespace: string, seq: number, time: number, principalId: string, action: string, target: string | null, outcome: string, requestId: string, detail: unknown, prevHash: string, hash: string };

export type AuditCheckpointQueryVariables = Exact<{ [key: string]: never; }>;


export type AuditCheckpointQuery = { auditCheckpoint: { note: string, verifierKey: string } | null };

export type AuditProofQueryVariables = Exact<{
  seq?: number | null | undefined;
  from?: number | null | undefined;
  size?: number | null | undefined;
}>;


export type AuditProofQuery = { auditProof: { hashes: Array<string> } | null };

export type VerifyAuditQueryVariables = Exact<{ [key: string]: never; }>;


export type VerifyAuditQuery = { verifyAudit: { intact: boolean, checked: number, headSeq: number, breakAt: number | null, reason: string | null, anchor: { engine: string, size: number | null, behind: boolean } } | null };

export type DeletionReceiptQueryVariables = Exact<{
  seq: number;
}>;


export type DeletionReceiptQuery = { deletionReceipt: { namespace: string, seq: number, rows: Array<{ row: { principalName: string | null, namespace: string, seq: number, time: number, principalId: string, action: string, target: string | null, outcome: string, requestId: string, detail: unknown, prevHash: string, hash: string }, proof: { hashes: Array<string>, checkpoint: { note: string, verifierKey: string } } }>, stores: Array<{ store: string, engine: string, erased: number, remaining: number }> } | null };

export type ExportAuditMutationVariables = Exact<{
  format?: AuditExportFormat | null | undefined;
}>;


export type ExportAuditMutation = { exportAudit: { url: string, expiresAt: number } | null };

export type AuditDaysQueryVariables = Exact<{
  d0?: AuditFilterInput | null | undefined;
  d1?: AuditFilterInput | null | undefined;
  d2?: AuditFilterInput | null | undefined;
  d3?: AuditFilterInput | null | undefined;
  d4?: AuditFilterInput | null | undefined;
  d5?: AuditFilterInput | null | undefined;
  d6?: AuditFilterInput | null | undefined;
  d7?: AuditFilterInput | null | undefined;
  d8?: AuditFilterInput | null | undefined;
  d9?: AuditFilterInput | null | undefined;
  d10?: AuditFilterInput | null | undefined;
  d11?: AuditFilterInput | null | undefined;
  d12?: AuditFilterInput | null | undefined;
  d13?: AuditFilterInput | null | undefined;
}>;


export type AuditDaysQuery = { d0: { count: number } | null, d1: { count: number } | null, d2: { count: number } | null, d3: { count: number } | null, d4: { count: number } | null, d5: { count: number } | null, d6: { count: number } | null, d7: { count: number } | null, d8: { count: number } | null, d9: { count: number } | null, d10: { count: number } | null, d11: { count: number } | null, d12: { count: number } | null, d13: { count: number } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const LogRowFragmentDoc = new TypedDocumentString(`
    fragment LogRow on AuditRow {
  namespace
  seq
  time
  principalId
  action
  target
  outcome
  requestId
  detail
  prevHash
  hash
}
    `, {"fragmentName":"LogRow"}) as unknown as TypedDocumentString<LogRowFragment, unknown>;
export const AuditLogDocument = new TypedDocumentString(`
    query AuditLog($cursor: SafeInt, $limit: Int, $filter: AuditFilterInput) {
  audit(cursor: $cursor, limit: $limit, filter: $filter) {
    namespace
    count
    whole
    nextCursor
    rows {
      ...LogRow
      principalName
    }
  }
}
    fragment LogRow on AuditRow {
  namespace
  seq
  time
  principalId
  action
  target
  outcome
  requestId
  detail
  prevHash
  hash
}`, {"hash":"sha256:00724377f3c22212110fc2f37808e6301f4ae11c480e4acecbf5061cd2be860c"}) as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
export const AuditCheckpointDocument = new TypedDocumentString(`
    query AuditCheckpoint {
  auditCheckpoint {
    note
    verifierKey
  }
}
    `, {"hash":"sha256:33e09ac834eef94017a124edaa0fdb58ec2db4196ba20fd03d341abde5c637ff"}) as unknown as TypedDocumentString<AuditCheckpointQuery, AuditCheckpointQueryVariables>;
export const AuditProofDocument = new TypedDocumentString(`
    query AuditProof($seq: SafeInt, $from: SafeInt, $size: SafeInt) {
  auditProof(seq: $seq, from: $from, size: $size) {
    hashes
  }
}
    `, {"hash":"sha256:da227ef732679ca3b621fda1971cd4429642bba84f79cc9d7d060a46fd152809"}) as unknown as TypedDocumentString<AuditProofQuery, AuditProofQueryVariables>;
export const VerifyAuditDocument = new TypedDocumentString(`
    query VerifyAudit {
  verifyAudit {
    intact
    checked
    headSeq
    breakAt
    reason
    anchor {
      engine
      size
      behind
    }
  }
}
    `, {"hash":"sha256:f3c84da2571a77941c9397abd3628b621b5506a09f87e2ca0dd35c0654741d26"}) as unknown as TypedDocumentString<VerifyAuditQuery, VerifyAuditQueryVariables>;
export const DeletionReceiptDocument = new TypedDocumentString(`
    query DeletionReceipt($seq: SafeInt!) {
  deletionReceipt(seq: $seq) {
    namespace
    seq
    rows {
      row {
        ...LogRow
        principalName
      }
      proof {
        hashes
        checkpoint {
          note
          verifierKey
        }
      }
    }
    stores {
      store
      engine
      erased
      remaining
    }
  }
}
    fragment LogRow on AuditRow {
  namespace
  seq
  time
  principalId
  action
  target
  outcome
  requestId
  detail
  prevHash
  hash
}`, {"hash":"sha256:447879124517687079a272aaf3efdbadd3c2faf74991534b430f6cd827466c22"}) as unknown as TypedDocumentString<DeletionReceiptQuery, DeletionReceiptQueryVariables>;
export const ExportAuditDocument = new TypedDocumentString(`
    mutation ExportAudit($format: AuditExportFormat) {
  exportAudit(format: $format) {
    url
    expiresAt
  }
}
    `, {"hash":"sha256:a988f9bae859b42f892d4e16896f09e3ffc279bcd601abd8968ae60758205471"}) as unknown as TypedDocumentString<ExportAuditMutation, ExportAuditMutationVariables>;
export const AuditDaysDocument = new TypedDocumentString(`
    query AuditDays($d0: AuditFilterInput, $d1: AuditFilterInput, $d2: AuditFilterInput, $d3: AuditFilterInput, $d4: AuditFilterInput, $d5: AuditFilterInput, $d6: AuditFilterInput, $d7: AuditFilterInput, $d8: AuditFilterInput, $d9: AuditFilterInput, $d10: AuditFilterInput, $d11: AuditFilterInput, $d12: AuditFilterInput, $d13: AuditFilterInput) {
  d0: audit(filter: $d0, limit: 1) {
    count
  }
  d1: audit(filter: $d1, limit: 1) {
    count
  }
  d2: audit(filter: $d2, limit: 1) {
    count
  }
  d3: audit(filter: $d3, limit: 1) {
    count
  }
  d4: audit(filter: $d4, limit: 1) {
    count
  }
  d5: audit(filter: $d5, limit: 1) {
    count
  }
  d6: audit(filter: $d6, limit: 1) {
    count
  }
  d7: audit(filter: $d7, limit: 1) {
    count
  }
  d8: audit(filter: $d8, limit: 1) {
    count
  }
  d9: audit(filter: $d9, limit: 1) {
    count
  }
  d10: audit(filter: $d10, limit: 1) {
    count
  }
  d11: audit(filter: $d11, limit: 1) {
    count
  }
  d12: audit(filter: $d12, limit: 1) {
    count
  }
  d13: audit(filter: $d13, limit: 1) {
    count
  }
}
    `, {"hash":"sha256:e1474206322782663d5571d595d1ef1008b04d868fc61f9a490ada3b49b2d702"}) as unknown as TypedDocumentString<AuditDaysQuery, AuditDaysQueryVariables>;