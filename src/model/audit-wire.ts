import canonicalize from 'canonicalize'
import type { AuditRow } from './audit.ts'
import { isObject, parseJson } from './json.ts'

/** Audit rows in an export: one line of RFC 8785 canonical JSON each, in wire names. */

/** The line of a row, without its newline. Only the two hashes are added to the hashed text (`auditBody`). */
export function auditLine(row: AuditRow): string {
  const wire = {
    action: row.action,
    detail: row.detail,
    hash: row.hash,
    namespace: row.namespace,
    outcome: row.outcome,
    prev_hash: row.prevHash,
    principal_id: row.principalId,
    request_id: row.requestId,
    seq: row.seq,
    target: row.target,
    time: row.time,
  }
  // Only a row that was tampered with has no canonical form. It is exported too, as evidence.
  return canonical(wire) ?? JSON.stringify(wire)
}

/** A row's place in its log, and the texts that its hash may be over. */
export interface ExportedRow {
  namespace: string
  seq: number
  prevHash: string
  hash: string
  /** The line without its two hashes: the hashed text, if the line is canonical. */
  cutBody: string
  /** The hashed text, regardless of spaces and order in the line; null without a canonical form. */
  canonicalBody(): string | null
}

/** Null for a text that is not an audit row. Unknown actions and outcomes, of later versions, are accepted. */
export function parseAuditLine(line: string): ExportedRow | null {
  const row = parseJson(line)
  if (!isWireRow(row)) return null
  const { namespace, seq, prev_hash: prevHash, hash } = row
  const cutBody = without(without(line, `,"prev_hash":"${prevHash}"`), `,"hash":"${hash}"`)
  const canonicalBody = () => {
    const { hash: _, prev_hash: __, ...body } = row
    return canonical(body)
  }
  return { namespace, seq, prevHash, hash, cutBody, canonicalBody }
}

interface WireRow {
  namespace: string
  seq: number
  prev_hash: string
  hash: string
}

const hexHash = /^[0-9a-f]{64}$/
const isHash = (value: unknown) => typeof value === 'string' && hexHash.test(value)
const isText = (value: unknown) => typeof value === 'string'

const columns: Record<string, (value: unknown) => boolean> = {
  action: isText,
  detail: isObject,
  hash: isHash,
  namespace: isText,
  outcome: isText,
  prev_hash: isHash,
  principal_id: isText,
  request_id: isText,
  seq: Number.isSafeInteger,
  target: (value) => value === null || isText(value),
  time: Number.isSafeInteger,
}
const checks = Object.entries(columns)

const isWireRow = (value: unknown): value is WireRow =>
  isObject(value) && checks.every(([name, check]) => check(value[name])) && Object.keys(value).length === checks.length

/** The hashes come after the detail, and no text after it can contain a bare quote: the last match is the column. */
function without(line: string, member: string): string {
  const at = line.lastIndexOf(member)
  return at < 0 ? line : line.slice(0, at) + line.slice(at + member.length)
}

/** Null for a value without a canonical form: one with a number out of range, or an unpaired surrogate. */
function canonical(value: object): string | null {
  try {
    return canonicalize(value) ?? null
  } catch {
    return null
  }
}
