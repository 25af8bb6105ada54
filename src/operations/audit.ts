import { checkpointInput, exportInput, listInput, proofInput, receiptInput } from '../domain/audit/audit-input.ts'
import { administers, type Operation, seesLog } from './operation.ts'

export const audit = {
  audit: {
    kind: 'query',
    description:
      'The audit log of the namespace, newest first. An admin principal sees all of it; others see their own rows and those whose target they may read. Needs `read` or `admin` somewhere, and a tier with an audit log.',
    args: listInput,
    nulls: 'dropped',
    needs: seesLog,
    reach: 'clamped',
    ofLog: true,
    rest: {
      route: 'GET /v1/audit',
      args: { limit: '?limit', cursor: '?cursor' },
      answer: `namespace
      rows { namespace seq time principal_id action target outcome request_id detail prev_hash hash } count next_cursor`,
    },
  },
  verifyAudit: {
    kind: 'query',
    description: "Recomputes the namespace's audit chain from its first row. Needs a tier with an audit log.",
    needs: null,
    reach: 'clamped',
    ofLog: true,
    weight: 500,
    rest: { route: 'GET /v1/audit/verify', answer: 'namespace intact checked head_seq head_hash break_at reason' },
  },
  auditCheckpoint: {
    kind: 'query',
    description: "The current checkpoint of the namespace's audit log. Enterprise tier.",
    args: checkpointInput,
    needs: null,
    reach: 'clamped',
    ofLog: true,
    rest: { route: 'GET /v1/audit/checkpoint', args: { size: '?size' } },
  },
  auditProof: {
    kind: 'query',
    description:
      'Proves that a row that the caller may see is in the audit log (`seq`), or that the log continues its first rows unchanged (`from`): give exactly one. Enterprise.',
    args: proofInput,
    needs: null,
    reach: 'clamped',
    ofLog: true,
    rest: {
      route: 'GET /v1/audit/proof',
      args: { seq: '?seq', from: '?from', size: '?size' },
      answer: 'namespace seq leaf_hash from size hashes checkpoint',
    },
  },
  exportAudit: {
    kind: 'mutation',
    description:
      "Creates a link that exports the namespace's whole audit log once. Needs an admin principal, also when the link is used, and a tier with an audit log.",
    args: exportInput,
    needs: administers,
    reach: 'log',
    ofLog: true,
    weight: 500,
  },
  deletionReceipt: {
    kind: 'query',
    description:
      'Evidence of a hard delete: its audit rows, their proofs, and what has been removed from each store. Enterprise tier.',
    args: receiptInput,
    needs: null,
    reach: 'clamped',
  },
} satisfies Record<string, Operation>
