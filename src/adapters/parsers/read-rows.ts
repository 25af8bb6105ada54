import { copyFile, open } from 'node:fs/promises'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { type SheetRow, SheetText, sheetRow } from './sheet-text.ts'
import { oneLine } from './text-builder.ts'

/** Rows of a data file read at a time. */
const rowsAtOnce = 10_000

type Record = Readonly<{ [column: string]: unknown }>

/** A line of the names of the columns, then the rows. */
class Rows {
  readonly rows: SheetRow[] = []
  #characters = 0

  constructor(columns: readonly string[]) {
    this.#add(columns)
  }

  add(columns: readonly string[], record: Record): void {
    this.#add(columns.map((column) => shown(record[column])))
  }

  #add(values: readonly string[]): void {
    const cells = values.map((value, i) => [i, oneLine(value)] as const).filter(([, text]) => text !== '')
    const row = sheetRow(this.rows.length + 1, cells)
    this.#characters += row.text.length
    if (this.#characters > parseLimits.textBytes)
      throw new ParseError('too_large', 'The file has more than 64 MiB of text.')
    if (cells.length > 0) this.rows.push(row)
  }
}

/** Bytes say nothing. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value instanceof Uint8Array) return ''
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? '' : value.toISOString().replace(/T00:00:00\.000Z$/, '')
  if (typeof value === 'number') return String(Number(value.toPrecision(15)))
  return typeof value === 'object'
    ? JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
    : String(value)
}

const sheet = (name: string, rows: readonly SheetRow[]) => ({ name, isHidden: false, rows, merges: [], notes: [] })

/** The rows of an Apache Parquet file, a group after the other. */
export async function readParquet(file: OpenFile): Promise<Structure> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet')
  const { compressors } = await import('hyparquet-compressors')
  const slice = async (start: number, end = file.size) => Uint8Array.from(await file.read(start, end - start)).buffer
  const buffer = { byteLength: file.size, slice }
  const out = new SheetText()
  try {
    const metadata = await parquetMetadataAsync(buffer)
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name)
    const rows = new Rows(columns)
    const count = Number(metadata.num_rows)
    for (let rowStart = 0; rowStart < count; rowStart += rowsAtOnce) {
      const rowEnd = Math.min(count, rowStart + rowsAtOnce)
      const records = await parquetReadObjects({ file: buffer, metadata, compressors, rowStart, rowEnd })
      for (const record of records) rows.add(columns, record)
    }
    out.add(sheet('', rows.rows))
  } catch (error) {
    if (error instanceof ParseError) throw error
    throw new ParseError('malformed', 'The file is damaged.')
  }
  return out.structure('application/vnd.apache.parquet')
}

/** The rows of the tables of an SQLite database, which is read in memory of its own. Views are not computed. */
export async function readSqlite(file: OpenFile): Promise<Structure> {
  const { Database } = (await import('node-sqlite3-wasm')).default
  const out = new SheetText()
  if (isCutOff(file)) throw new ParseError('malformed', 'The database is cut off.')
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  try {
    const database = new Database(await withoutLog(file), { readOnly: true, fileMustExist: true })
    try {
      const tables = database.all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      for (const { name } of tables) {
        const table = String(name)
        const columns = database.all(`PRAGMA table_info(${quoted(table)})`).map((column) => String(column.name))
        const rows = new Rows(columns)
        const statement = database.prepare(`SELECT * FROM ${quoted(table)}`)
        try {
          for (const record of statement.iterate()) rows.add(columns, record as Record)
        } finally {
          statement.finalize()
        }
        out.add(sheet(table, rows.rows))
      }
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof ParseError) throw error
    throw new ParseError('malformed', 'The database is damaged.')
  }
  return out.structure('application/vnd.sqlite3')
}

/**
 * A database with a write-ahead log opens only with that beside it. What has been written back to it is whole in its own
 * file: a copy says that it keeps none (https://www.sqlite.org/fileformat2.html, 1.3.3). Returns its path.
 */
async function withoutLog({ path, head }: OpenFile): Promise<string> {
  if (head[18] !== 2 && head[19] !== 2) return path
  const copy = `${path}.copy`
  await copyFile(path, copy)
  const handle = await open(copy, 'r+')
  await handle.write(Uint8Array.of(1, 1), 0, 2, 18)
  await handle.close()
  return copy
}

/** Whether pages are missing that the header counts. Old programs left the count as it was. */
function isCutOff({ head, size }: OpenFile): boolean {
  const header = Buffer.from(head.subarray(0, 100))
  if (header.length < 100) return true
  const pageBytes = header.readUInt16BE(16)
  const isCounted = header.readUInt32BE(24) === header.readUInt32BE(92)
  return isCounted && header.readUInt32BE(28) * (pageBytes === 1 ? 65_536 : pageBytes) > size
}
