import {
  type ChainBreak,
  type ChainLink,
  chainStart,
  changedRow,
  createRowHashes,
  looseRow,
  missingRow,
} from '../../model/audit-chain.ts'
import { type ExportedRow, parseAuditLine } from '../../model/audit-wire.ts'
import type { Checkpoint } from '../../model/checkpoint.ts'
import { createCompactRange, equal } from '../../model/merkle.ts'

/** The result of checking an exported log. */
export type Finding =
  | ({ kind: 'intact' } & LogSummary)
  /**
   * `breakAt` is null when the rows form a valid chain that differs from the signed one: a root does not identify a
   * row.
   */
  | { kind: 'broken'; breakAt: number | null; reason: string }
  | { kind: 'unchecked'; reason: string }

type Failure = Exclude<Finding, { kind: 'intact' }>

export interface LogSummary {
  /** Null when there are no rows. */
  namespace: string | null
  rows: number
  /** The hash of the last row. */
  headHash: string
  /** The root of the Merkle tree over all rows. */
  root: Uint8Array
  checkpoint: Checkpoint | null
}

export interface LogCheck {
  /** Adds the next line; an invalid line ends the check. */
  add(line: string): Failure | null
  end(): Finding
}

const broken = (breakAt: number | null, reason: string): Failure => ({ kind: 'broken', breakAt, reason })
const brokenChain = (at: ChainBreak): Failure => ({ kind: 'broken', ...at })

/** Checks the lines of an export one by one, in constant memory: chain, tree and, if given, a checkpoint. */
export function createLogCheck(checkpoint: Checkpoint | null): LogCheck {
  const tree = createCompactRange()
  const hashes = createRowHashes()
  const matches = (row: ExportedRow, body: string) => hashes.chained(row.prevHash, body) === row.hash
  let last: ChainLink = chainStart
  let namespace: string | null = null

  const atCheckpoint = (): Failure | null => {
    if (checkpoint === null || tree.size !== checkpoint.size || equal(tree.root(), checkpoint.root)) return null
    return broken(
      null,
      `the first ${checkpoint.size} rows are not those that the checkpoint covers: their root is another`,
    )
  }

  const place = (row: ExportedRow): Failure | null => {
    const { seq } = row
    if (seq > last.seq + 2) {
      return broken(last.seq + 1, `row ${last.seq + 1} is missing, and so is each up to row ${seq - 1}`)
    }
    if (seq !== last.seq + 1) return brokenChain(missingRow(last.seq + 1))
    if (row.namespace !== namespace) {
      return broken(seq, `row ${seq} is of the log of ${quote(row.namespace)}, not ${quote(namespace)}`)
    }
    if (row.prevHash !== last.hash) return brokenChain(looseRow(seq, last))
    return null
  }

  const begin = (row: ExportedRow | null): Failure | null => {
    if (row === null) return { kind: 'unchecked', reason: 'the first line is not a row of an audit log' }
    if (row.seq !== 1) {
      return { kind: 'unchecked', reason: `the file begins with row ${row.seq}: what it continues is not in it` }
    }
    namespace = row.namespace
    if (checkpoint === null || checkpoint.origin.endsWith(`/audit/${namespace}`)) return atCheckpoint()
    return broken(null, `the checkpoint is of ${quote(checkpoint.origin)}, the rows are of ${quote(namespace)}`)
  }

  return {
    add: (line) => {
      const seq = last.seq + 1
      const row = parseAuditLine(line)
      const failure = namespace === null ? begin(row) : null
      if (failure) return failure
      if (row === null) return broken(seq, `row ${seq} cannot be read: its line is not a row of an audit log`)
      const misplaced = place(row)
      if (misplaced) return misplaced
      if (!matches(row, row.cutBody) && !matches(row, row.canonicalBody() ?? '')) return brokenChain(changedRow(seq))
      last = { seq, hash: row.hash }
      tree.append(hashes.leaf())
      return atCheckpoint()
    },

    end: () => {
      const rows = last.seq
      if (checkpoint === null && rows === 0) return { kind: 'unchecked', reason: 'there are no rows' }
      if (checkpoint !== null && rows < checkpoint.size) {
        return broken(rows + 1, `row ${rows + 1} is missing: the checkpoint covers ${checkpoint.size} rows`)
      }
      const emptyFailure = rows === 0 ? atCheckpoint() : null
      return emptyFailure ?? { kind: 'intact', namespace, rows, headHash: last.hash, root: tree.root(), checkpoint }
    },
  }
}

const quote = (text: string | null) => JSON.stringify(text)
