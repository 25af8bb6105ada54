import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
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
import { type Checkpoint, parseCheckpoint } from '../../model/checkpoint.ts'
import { createCompactRange, equal } from '../../model/merkle.ts'
import { type NoteVerifier, openNote, parseVerifier } from '../../model/signed-note.ts'
import { onlyWord, readWords, reasonOf, text } from '../program/command.ts'

/** Exit codes of the commands. Only 0 means that a log was found intact. */
export const exitCodes = { intact: 0, broken: 1, unchecked: 2 } as const

/** The result of a command and its output, which goes to standard error unless the code is 0. */
export interface Outcome {
  code: number
  text: string
}

/** Why a command could not finish its work, as a sentence for the terminal. */
export class UncheckedError extends Error {}

/** `audit verify FILE [--checkpoint F --pubkey K]`. Throws `UncheckedError` for input that cannot be read. */
export async function verifyLog(args: readonly string[]): Promise<Outcome> {
  const { values, positionals } = readWords(args, { checkpoint: text, pubkey: text })
  const file = onlyWord(positionals, 'verify takes one FILE, or - for standard input')
  const { checkpoint, pubkey } = values
  if ((checkpoint === undefined) !== (pubkey === undefined))
    throw new UncheckedError('--checkpoint and --pubkey go together')
  const finding = await check(file, checkpoint, pubkey)
  return { code: exitCodes[finding.kind], text: report(finding) }
}

async function check(file: string, checkpointFile?: string, pubkey?: string): Promise<Finding> {
  if (checkpointFile === undefined || pubkey === undefined) return checkFile(file, null)
  const keys = await keysOf(pubkey)
  const note = await readText(checkpointFile)
  const text = openNote(note, keys)
  if (text === null) return { kind: 'broken', breakAt: null, reason: 'the checkpoint is not signed by the key' }
  const checkpoint = parseCheckpoint(text)
  if (checkpoint === null) return { kind: 'broken', breakAt: null, reason: 'what is signed is not a checkpoint' }
  return checkFile(file, checkpoint)
}

async function checkFile(file: string, checkpoint: Checkpoint | null): Promise<Finding> {
  const log = createLogCheck(checkpoint)
  const chunks = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 2 ** 18 })
  try {
    for await (const lines of readLines(chunks)) {
      for (const line of lines) {
        const failure = log.add(line)
        if (failure) return failure
      }
    }
  } catch (error) {
    throw new UncheckedError(reasonOf(error))
  }
  return log.end()
}

/** The argument is a key, or a file with keys. */
async function keysOf(pubkey: string): Promise<NoteVerifier[]> {
  const key = parseVerifier(pubkey)
  if (key) return [key]
  const lines = (await readText(pubkey)).split('\n').filter((line) => line.trim() !== '')
  const keys = lines.map(parseVerifier).filter((found) => found !== null)
  if (keys.length === 0 || keys.length < lines.length) throw new UncheckedError(`${pubkey} holds no verifier keys`)
  return keys
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UncheckedError(reasonOf(error))
  }
}

const newline = 0x0a
const maxBytes = 16 * 2 ** 20

/** Lines of a stream in batches, without their newlines. A line that is not UTF-8 becomes an empty one. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(newline)
    rest = bytes.subarray(end + 1)
    if (rest.length > maxBytes) throw new Error(`a line has more than ${maxBytes} bytes`)
    if (end >= 0) yield linesOf(bytes.subarray(0, end))
  }
  if (rest.length > 0) yield linesOf(rest)
}

const linesOf = (bytes: Buffer): string[] => (isUtf8(bytes) ? bytes.toString().split('\n') : splitBytes(bytes))

/** Decoding invalid UTF-8 would turn different bytes into the same text. */
function splitBytes(bytes: Buffer): string[] {
  const lines: string[] = []
  for (let from = 0; from <= bytes.length; ) {
    const found = bytes.indexOf(newline, from)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(from, end)
    lines.push(isUtf8(line) ? line.toString() : '')
    from = end + 1
  }
  return lines
}

/** The result, for the terminal: `name  value` lines, the verdict first. */
function report(finding: Finding): string {
  if (finding.kind === 'unchecked') return `not checked: ${finding.reason}`
  if (finding.kind === 'intact') return format([['intact', coverageOf(finding)], ...summaryOf(finding)])
  const { breakAt, reason } = finding
  return format([['broken', reason], ...(breakAt === null ? [] : [['row', `${breakAt}`] as const])])
}

type Line = readonly [name: string, value: string]

function coverageOf({ rows, checkpoint }: LogSummary): string {
  if (checkpoint === null) return 'the rows continue each other; without a checkpoint nobody vouches for them'
  const { size } = checkpoint
  return rows === size
    ? 'all rows are those that the checkpoint covers'
    : `rows 1 to ${size} are those that the checkpoint covers; rows ${size + 1} to ${rows} continue them`
}

const summaryOf = ({ namespace, rows, headHash, root, checkpoint }: LogSummary): Line[] => [
  ...(namespace === null ? [] : [['namespace', JSON.stringify(namespace)] as const]),
  ['rows', `${rows}`],
  ['head', headHash],
  ['root', Buffer.from(root).toString('base64')],
  ...(checkpoint === null ? [] : [['checkpoint', `${checkpoint.size} rows, signed for ${checkpoint.origin}`] as const]),
]

const format = (lines: readonly Line[]) => lines.map(([name, value]) => `${name.padEnd(11)} ${value}`).join('\n')

/** The result of checking an exported log. */
type Finding =
  | ({ kind: 'intact' } & LogSummary)
  /**
   * `breakAt` is null when the rows form a valid chain that differs from the signed one: a root does not identify a
   * row.
   */
  | { kind: 'broken'; breakAt: number | null; reason: string }
  | { kind: 'unchecked'; reason: string }

type Failure = Exclude<Finding, { kind: 'intact' }>

interface LogSummary {
  /** Null when there are no rows. */
  namespace: string | null
  rows: number
  /** The hash of the last row. */
  headHash: string
  /** The root of the Merkle tree over all rows. */
  root: Uint8Array
  checkpoint: Checkpoint | null
}

interface LogCheck {
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
