import { canonical, chained, checkpointText, keyFrom, note, type Row, verifierKey } from './naive.ts'

/** What `audit verify` must say of a file. Paths are those of the vectors' folder. */
export interface VectorCase {
  name: string
  log: string
  checkpoint?: string
  /** A file, or the key itself. */
  pubkey?: string
  exit: 0 | 1 | 2
  break_at: number | null
  /** Stands in what is printed. */
  reason: string | null
}

export const origin = 'svc/audit/acme'
export const key = keyFrom('audit vectors: the key of the log')
const stranger = keyFrom('audit vectors: another key')

/** Texts, names and numbers that encoders get wrong: of RFC 8785, sections 3.2.2 and 3.2.3, and some more. */
const oddDetails: readonly string[] = [
  '{}',
  '{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}',
  '{"text":"\\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  '{"large":333333333.33333329,"exp":1e30,"small":0.002,"tiny":1e-27,"minus zero":-0,"safe":9007199254740991}',
  '{"separators":"\\u2028\\u2029","escape":"\\u001b[2J","delete":"\\u007f","astral":"\\ud834\\udd1e"}',
  '{"__proto__":1,"constructor":2,"toString":3}',
  '{"hash":"not the hash","prev_hash":"nor that","seq":99}',
  '{"text":",\\"hash\\":\\"","more":",\\"prev_hash\\":\\""}',
  '{"b":true,"a":false,"c":null}',
  '{"units":1000,"scope":"harbor/general"}',
  '{"composed":"\\u00e9","decomposed":"e\\u0301"}',
  '{"":"no name"}',
]

const bodies: Row[] = oddDetails.map((detail, i) => ({
  namespace: 'acme',
  seq: i + 1,
  time: 1_700_000_000_000 + i * 1000,
  principal_id: `prn_"${i}"`,
  action: i % 2 === 0 ? 'units.ingest' : 'search.run',
  target: i % 3 === 0 ? null : `a/\u2028/${i}`,
  outcome: i === 4 ? 'forbidden' : 'ok',
  request_id: `request-${i}`,
  detail: JSON.parse(detail),
}))

const rows = chained(bodies)
const text = (log: readonly Row[]) => log.map((row) => `${canonical(row)}\n`).join('')
const log = text(rows)
const lines = log.split(/(?<=\n)/)
const at = (seq: number): Row => rows[seq - 1] ?? {}
const replaced = (seq: number, row: Row) => text(rows.with(seq - 1, row))
const changed = (row: Row): Row => ({ ...row, principal_id: 'scapegoat' })

/** The log with a body changed and everything from there on chained anew: rows alone cannot tell. */
const rewritten = chained(bodies.with(4, changed(bodies[4] ?? {})))

const checkpointOf = (size: number) => note(checkpointText(origin, rows.slice(0, size)), origin, key)
const nine = checkpointOf(9)
const signatureAt = nine.indexOf('\u2014 ') + `\u2014 ${origin} `.length + 20
const forged = `${nine.slice(0, signatureAt)}${nine[signatureAt] === 'A' ? 'B' : 'A'}${nine.slice(signatureAt + 1)}`
const otherOrigin = 'svc/audit/other'

/** Blanks, another order of names and other ends of lines: the same rows. */
const reformatted = rows
  .map(
    (row) => `${JSON.stringify(Object.fromEntries(Object.entries(row).reverse()), null, 1).replaceAll('\n', ' ')}\r\n`,
  )
  .join('')

const notUtf8 = Buffer.concat([
  Buffer.from(lines.slice(0, 10).join('')),
  Buffer.from((lines[10] ?? '').replace('\u00e9', '#')).map((byte) => (byte === 0x23 ? 0xe9 : byte)),
  Buffer.from(lines[11] ?? ''),
])

/** The files by name, as bytes. */
export const vectorFiles: Record<string, string | Uint8Array> = {
  'log.ndjson': log,
  'log.no-final-newline.ndjson': log.slice(0, -1),
  'log.reformatted.ndjson': reformatted,
  'log.empty.ndjson': '',
  'key.txt': `${verifierKey(origin, key)}\n`,
  'key.other.txt': `${verifierKey(origin, stranger)}\n`,
  'keys.txt': `${verifierKey(origin, stranger)}\n\n${verifierKey(origin, key)}\n`,
  'checkpoint.9.txt': nine,
  'checkpoint.12.txt': checkpointOf(12),
  'checkpoint.0.txt': checkpointOf(0),
  'checkpoint.two-signatures.txt': `${nine}${note(checkpointText(origin, rows.slice(0, 9)), origin, stranger).split('\n\n')[1]}`,
  'checkpoint.forged.txt': forged,
  'checkpoint.resized.txt': nine.replace('\n9\n', '\n8\n'),
  'checkpoint.other-log.txt': note(checkpointText(otherOrigin, rows.slice(0, 9)), otherOrigin, key),
  'key.other-log.txt': `${verifierKey(otherOrigin, key)}\n`,
  'checkpoint.no-note.txt': checkpointText(origin, rows.slice(0, 9)),
  'checkpoint.no-checkpoint.txt': note('signed, but no checkpoint\n', origin, key),
  'broken.changed.ndjson': replaced(5, changed(at(5))),
  'broken.changed-detail.ndjson': replaced(2, { ...at(2), detail: { ...(at(2).detail as Row), '\r': 3 } }),
  'broken.changed-last.ndjson': replaced(12, { ...at(12), time: 0 }),
  'broken.rehashed.ndjson': replaced(5, rewritten[4] ?? {}),
  'broken.rewritten.ndjson': text(rewritten),
  'broken.removed.ndjson': text(rows.toSpliced(5, 1)),
  'broken.removed-rows.ndjson': text(rows.toSpliced(5, 3)),
  'broken.twice.ndjson': text(rows.toSpliced(5, 0, at(5))),
  'broken.swapped.ndjson': text(rows.with(6, at(8)).with(7, at(7))),
  'broken.renumbered.ndjson': text(rows.toSpliced(5, 1).map((row, i) => ({ ...row, seq: i + 1 }))),
  'broken.beginning.ndjson': text(rows.slice(3)),
  'broken.end.ndjson': text(rows.slice(0, 8)),
  'broken.cut.ndjson': log.slice(0, -40),
  'broken.other-namespace.ndjson': replaced(7, { ...at(7), namespace: 'other\u001b[2J' }),
  'broken.first-continues.ndjson': text(chained(bodies, 'a'.repeat(64))),
  'broken.no-json.ndjson': lines.with(6, '{"action":\n').join(''),
  'broken.no-row.ndjson': lines.with(6, '[1]\n').join(''),
  'broken.column-more.ndjson': replaced(7, { ...at(7), note: 'x' }),
  'broken.column-less.ndjson': replaced(
    7,
    Object.fromEntries(Object.entries(at(7)).filter(([name]) => name !== 'target')),
  ),
  'broken.capitals.ndjson': replaced(7, { ...at(7), hash: `${at(7).hash}`.toUpperCase() }),
  'broken.blank-line.ndjson': lines.toSpliced(6, 0, '\n').join(''),
  'broken.not-utf8.ndjson': notUtf8,
  'broken.beyond-numbers.ndjson': lines.with(2, (lines[2] ?? '').replace('"text":', '"n":1e400,"text":')).join(''),
  'no-log.json.ndjson': '{"rows":[]}\n',
  'no-log.text.ndjson': 'a plain text\n',
}

const signed = { checkpoint: 'checkpoint.9.txt', pubkey: 'key.txt' }
const intact = { exit: 0, break_at: null, reason: null } as const
const broken = (break_at: number | null, reason: string) => ({ exit: 1, break_at, reason }) as const
const unchecked = (reason: string) => ({ exit: 2, break_at: null, reason }) as const
const wasChanged = (seq: number) => broken(seq, `row ${seq} was changed`)
const isMissing = (seq: number) => broken(seq, `row ${seq} is missing`)
const unreadable = (seq: number) => broken(seq, `row ${seq} cannot be read`)
const unsigned = broken(null, 'the checkpoint is not signed by the key')

export const vectorCases: readonly VectorCase[] = [
  { name: 'intact', log: 'log.ndjson', ...intact },
  { name: 'intact, with a checkpoint of its first rows', log: 'log.ndjson', ...signed, ...intact },
  {
    name: 'intact, with a checkpoint of all',
    log: 'log.ndjson',
    ...signed,
    checkpoint: 'checkpoint.12.txt',
    ...intact,
  },
  { name: 'a checkpoint of no rows', log: 'log.ndjson', ...signed, checkpoint: 'checkpoint.0.txt', ...intact },
  { name: 'the key itself', log: 'log.ndjson', ...signed, pubkey: verifierKey(origin, key), ...intact },
  { name: 'one of several keys', log: 'log.ndjson', ...signed, pubkey: 'keys.txt', ...intact },
  {
    name: 'one of several signatures',
    log: 'log.ndjson',
    ...signed,
    checkpoint: 'checkpoint.two-signatures.txt',
    ...intact,
  },
  { name: 'without the last newline', log: 'log.no-final-newline.ndjson', ...signed, ...intact },
  { name: 'written in another form', log: 'log.reformatted.ndjson', ...signed, ...intact },
  {
    name: 'empty, with a checkpoint of no rows',
    log: 'log.empty.ndjson',
    ...signed,
    checkpoint: 'checkpoint.0.txt',
    ...intact,
  },
  { name: 'empty', log: 'log.empty.ndjson', ...unchecked('there are no rows') },
  { name: 'emptied', log: 'log.empty.ndjson', ...signed, ...isMissing(1) },
  { name: 'a column changed', log: 'broken.changed.ndjson', ...wasChanged(5) },
  { name: 'a detail changed', log: 'broken.changed-detail.ndjson', ...wasChanged(2) },
  { name: 'the last row changed', log: 'broken.changed-last.ndjson', ...signed, ...wasChanged(12) },
  { name: 'a row changed with its hash', log: 'broken.rehashed.ndjson', ...broken(6, 'row 6 does not continue row 5') },
  { name: 'rewritten, and nobody to tell', log: 'broken.rewritten.ndjson', ...intact },
  {
    name: 'rewritten under a checkpoint',
    log: 'broken.rewritten.ndjson',
    ...signed,
    ...broken(null, 'their root is another'),
  },
  { name: 'a row removed', log: 'broken.removed.ndjson', ...isMissing(6) },
  {
    name: 'rows removed',
    log: 'broken.removed-rows.ndjson',
    ...broken(6, 'row 6 is missing, and so is each up to row 8'),
  },
  {
    name: 'a row removed, the others renumbered',
    log: 'broken.renumbered.ndjson',
    ...broken(6, 'row 6 does not continue row 5'),
  },
  { name: 'a row twice', log: 'broken.twice.ndjson', ...isMissing(6) },
  { name: 'two rows swapped', log: 'broken.swapped.ndjson', ...isMissing(7) },
  { name: 'without its beginning', log: 'broken.beginning.ndjson', ...unchecked('the file begins with row 4') },
  { name: 'without its end, and nobody to tell', log: 'broken.end.ndjson', ...intact },
  { name: 'without its end, under a checkpoint', log: 'broken.end.ndjson', ...signed, ...isMissing(9) },
  { name: 'cut within a row', log: 'broken.cut.ndjson', ...signed, ...unreadable(12) },
  {
    name: 'a row of another log',
    log: 'broken.other-namespace.ndjson',
    ...broken(7, 'row 7 is of the log of "other\\u001b[2J"'),
  },
  {
    name: 'a first row that continues something',
    log: 'broken.first-continues.ndjson',
    ...broken(1, 'row 1 does not continue'),
  },
  { name: 'a line that is no JSON', log: 'broken.no-json.ndjson', ...unreadable(7) },
  { name: 'a line that is no row', log: 'broken.no-row.ndjson', ...unreadable(7) },
  { name: 'a column more', log: 'broken.column-more.ndjson', ...unreadable(7) },
  { name: 'a column less', log: 'broken.column-less.ndjson', ...unreadable(7) },
  { name: 'a hash in capitals', log: 'broken.capitals.ndjson', ...unreadable(7) },
  { name: 'a blank line', log: 'broken.blank-line.ndjson', ...unreadable(7) },
  { name: 'a byte that is no UTF-8', log: 'broken.not-utf8.ndjson', ...unreadable(11) },
  { name: 'a number beyond all', log: 'broken.beyond-numbers.ndjson', ...wasChanged(3) },
  { name: 'JSON that is no log', log: 'no-log.json.ndjson', ...unchecked('the first line is not a row') },
  { name: 'text that is no log', log: 'no-log.text.ndjson', ...unchecked('the first line is not a row') },
  { name: 'a checkpoint of another key', log: 'log.ndjson', ...signed, pubkey: 'key.other.txt', ...unsigned },
  { name: 'a forged signature', log: 'log.ndjson', ...signed, checkpoint: 'checkpoint.forged.txt', ...unsigned },
  { name: 'a changed checkpoint', log: 'log.ndjson', ...signed, checkpoint: 'checkpoint.resized.txt', ...unsigned },
  {
    name: 'a checkpoint without a signature',
    log: 'log.ndjson',
    ...signed,
    checkpoint: 'checkpoint.no-note.txt',
    ...unsigned,
  },
  {
    name: 'a note that is no checkpoint',
    log: 'log.ndjson',
    ...signed,
    checkpoint: 'checkpoint.no-checkpoint.txt',
    ...broken(null, 'what is signed is not a checkpoint'),
  },
  {
    name: 'a checkpoint of another log',
    log: 'log.ndjson',
    checkpoint: 'checkpoint.other-log.txt',
    pubkey: 'key.other-log.txt',
    ...broken(null, 'the checkpoint is of "svc/audit/other", the rows are of "acme"'),
  },
  {
    name: 'a key that is none',
    log: 'log.ndjson',
    ...signed,
    pubkey: 'checkpoint.9.txt',
    ...unchecked('no verifier keys'),
  },
  {
    name: 'a key that is not there',
    log: 'log.ndjson',
    ...signed,
    pubkey: 'nothing.txt',
    ...unchecked('no such file'),
  },
  {
    name: 'a checkpoint that is not there',
    log: 'log.ndjson',
    ...signed,
    checkpoint: 'nothing.txt',
    ...unchecked('no such file'),
  },
  { name: 'a log that is not there', log: 'nothing.ndjson', ...unchecked('no such file') },
]
