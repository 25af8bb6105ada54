import { encode } from '../../../clients/typescript/src/verify/bytes.ts'
import { rowBody } from '../../../clients/typescript/src/verify/canonical.ts'
import { leafHash } from '../../../clients/typescript/src/verify/merkle.ts'
import { rowHash } from '../../../clients/typescript/src/verify/proofs.ts'

/** A row of an audit log, as GraphQL answers it. */
export interface LogRow {
  namespace: string
  seq: number
  time: number
  principalId: string
  action: string
  target?: string | null
  outcome: string
  requestId: string
  detail: unknown
  prevHash: string
  hash: string
}

/** What does not verify: the `seq` of the row, or null where it is the log as a whole. */
export interface Flaw {
  row: number | null
  reason: string
  /** Present if all else verifies: what the new key has signed, to be kept once a person trusts that key. */
  underNewKey?: { origin: string; note: string; verifierKey: string }
}

/** What the hash of a row is over: its canonical JSON in the names of the REST interface, without the two hashes. */
function bodyOf(row: LogRow): string {
  return rowBody({
    namespace: row.namespace,
    seq: row.seq,
    time: row.time,
    principal_id: row.principalId,
    action: row.action,
    target: row.target ?? null,
    outcome: row.outcome,
    request_id: row.requestId,
    detail: row.detail,
  })
}

export const leafOf = (row: LogRow): Promise<Uint8Array> => leafHash(encode(bodyOf(row)))

const firstPrevHash = '0'.repeat(64)

/** Recomputes the hash of each row, and compares it with what the next row says of it. The order of rows is free. */
export async function checkRows(namespace: string, rows: readonly LogRow[]): Promise<Flaw | null> {
  let before: LogRow | null = null
  for (const row of rows.toSorted((a, b) => a.seq - b.seq)) {
    const reason = await flawOf(namespace, row, before)
    if (reason !== null) return { row: row.seq, reason }
    before = row
  }
  return null
}

async function flawOf(namespace: string, row: LogRow, before: LogRow | null): Promise<string | null> {
  if (row.namespace !== namespace) return 'it is of another log'
  if (!(Number.isSafeInteger(row.seq) && row.seq >= 1)) return 'it has no place in the log'
  if (before?.seq === row.seq) return 'it is listed twice'
  if (row.seq === 1 && row.prevHash !== firstPrevHash) return 'it is the first row, and names one before it'
  if (before?.seq === row.seq - 1 && row.prevHash !== before.hash) return `it does not continue row ${before.seq}`
  if ((await rowHash(row.prevHash, bodyOf(row))) !== row.hash) return 'its hash does not match its content'
  return null
}
