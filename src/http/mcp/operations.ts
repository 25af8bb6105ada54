import type { CallPlan } from '../rest/call.ts'
import { wholeBody } from '../rest/call.ts'

/** The calls of the tools and resources. Their answers are in the names of REST. */

const facts = `unit_id external_id title text plane modality scope doc_id source_uri mime locator metadata created_at`
const hits = `hits { ${facts} score rank } hidden_by_acl`
const input = { input: wholeBody }

export const operations = {
  search: { field: 'search', args: input, answer: hits },
  answer: { field: 'answer', args: input, answer: `${hits} answer` },
  unit: { field: 'unit', args: { unitId: 'id' }, answer: facts },
  units: { field: 'units', args: { limit: 'limit', cursor: 'cursor' }, answer: `units { ${facts} } next_cursor` },
  context: { field: 'context', args: {} },
  scopes: { field: 'scopes', args: {}, answer: 'scopes' },
  ingest: { field: 'ingest', args: input },
  delete: { field: 'deleteUnits', args: input },
} satisfies Record<string, CallPlan>

export type OperationName = keyof typeof operations

export const isWrite = (name: OperationName): boolean => name === 'ingest' || name === 'delete'
