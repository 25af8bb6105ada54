import { chunksOf, linesOf } from '../lines.ts'
import type { Platform } from '../platform.ts'
import { encode, equal } from './bytes.ts'
import { rowBody } from './canonical.ts'
import { createTree } from './merkle.ts'
import { type Head, isOf, openCheckpoint, type SignedCheckpoint } from './note.ts'
import { rowHash } from './proofs.ts'
import type { Verdict } from './verdict.ts'

export interface ExportVerdict extends Verdict {
  /** Number of valid rows. */
  rows: number
  /** Hash of the last valid row; null without one. */
  headHash: string | null
  /** The first invalid row's `seq`; null if no row is invalid. */
  breakAt: number | null
}

type Lines = string | Iterable<string> | AsyncIterable<string> | Platform<'ReadableStream'>

/**
 * Checks an exported log: rows start at 1, continue each other, and have correct hashes. With a checkpoint and the key,
 * also that the log holds the rows that were signed. Items are lines; texts and streams are split into lines.
 */
export async function verifyExport(
  lines: Lines,
  { checkpoint, verifierKey }: { checkpoint?: SignedCheckpoint; verifierKey?: string } = {},
): Promise<ExportVerdict> {
  let [rows, headHash]: [number, string | null] = [0, null]
  const broken = (reason: string, breakAt: number | null = null): ExportVerdict => ({
    ok: false,
    reason,
    rows,
    headHash,
    breakAt,
  })
  try {
    const head = await headOf(checkpoint, verifierKey)
    if (typeof head === 'string') return broken(head)
    const tree = createTree()
    let [namespace, root]: [unknown, Uint8Array | null] = [undefined, null]
    if (head?.size === 0) root = await tree.root()
    for await (const line of itemsOf(lines)) {
      const [seq, row] = [rows + 1, parse(line)]
      if (row === null) return broken(`row ${seq} is not an audit row`, seq)
      if (row.seq !== seq) return broken(`row ${seq} is missing${upTo(row.seq, seq)}`, seq)
      namespace ??= row.namespace
      if (row.namespace !== namespace) return broken(`row ${seq} is of another log`, seq)
      if (row.prev_hash !== (headHash ?? '0'.repeat(64))) return broken(`row ${seq} does not continue row ${rows}`, seq)
      const body = rowBody(row)
      if ((await rowHash(row.prev_hash, body)) !== row.hash)
        return broken(`row ${seq} was changed: its hash does not match`, seq)
      ;[rows, headHash] = [seq, row.hash]
      if (head) await tree.add(encode(body))
      if (head?.size === seq) root = await tree.root()
    }
    if (rows === 0) return broken('the export has no rows')
    if (head && !isOf(head, String(namespace))) return broken('the checkpoint is of another log')
    if (head && root === null)
      return broken(`the checkpoint covers ${head.size} rows, the export has ${rows}`, rows + 1)
    if (head && root && !equal(root, head.root)) return broken('the rows are not those that the checkpoint signed')
    return { ok: true, reason: null, rows, headHash, breakAt: null }
  } catch {
    return broken('the export cannot be read')
  }
}

/** What else is missing before the row that comes next. */
const upTo = (next: unknown, missing: number): string =>
  typeof next === 'number' && next > missing + 1 ? `, and so is each up to row ${next - 1}` : ''

async function headOf(
  checkpoint: SignedCheckpoint | undefined,
  verifierKey: string | undefined,
): Promise<Head | string | null> {
  if (checkpoint === undefined) return null
  return verifierKey === undefined ? 'a checkpoint needs the verifier key' : openCheckpoint(checkpoint, verifierKey)
}

function itemsOf(lines: Lines): AsyncIterable<string> | Iterable<string> {
  if (typeof lines === 'string') return linesOf([lines])
  return lines instanceof ReadableStream ? linesOf(chunksOf(lines)) : lines
}

interface Row extends Record<string, unknown> {
  namespace: string
  /** As it was sent: any value. */
  seq: unknown
  prev_hash: string
  hash: string
}

function parse(line: string): Row | null {
  try {
    const row: Row | null = JSON.parse(line)
    const isRow =
      typeof row?.namespace === 'string' && typeof row.prev_hash === 'string' && typeof row.hash === 'string'
    return isRow ? row : null
  } catch {
    return null
  }
}
