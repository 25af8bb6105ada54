import { type Acl, modalities, type Plane, planes, type Unit, type UnitContent } from '../../../model/unit.ts'
import {
  bigint,
  bool,
  type Column,
  type Columns,
  integer,
  json,
  oneOf,
  orNull,
  type Row,
  text,
  texts,
  word,
} from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'

/** A column of the table `unit`. */
export interface UnitColumn extends Column<unknown> {
  name: string
  /** The field of a Unit that it stores unchanged; null for a column that the catalog manages. */
  field: string | null
  /** Its value in the stub that a hard deletion leaves: an SQL literal, or null if it stays unchanged. */
  purged: string | null
  /** The source of the value when a Unit is put: the Unit, or the statement. */
  put: 'record' | 'statement'
  /** A replaced Unit keeps its value of this column. */
  kept: boolean
}

type Options = Partial<Pick<UnitColumn, 'field' | 'purged' | 'put' | 'kept'>>

export const unitColumn = (
  name: string,
  { type, read }: Column<unknown>,
  { field = null, purged = null, put = 'record', kept = false }: Options = {},
): UnitColumn => ({ name, type, read, field, purged, put, kept })

/** A column that stores a field of a Unit unchanged. A hard deletion empties it. */
const content = <Field extends keyof UnitContent>(
  field: Field,
  name: string,
  column: Column<UnitContent[Field]>,
  options?: Options,
) => unitColumn(name, column, { field, purged: 'NULL', ...options })

/**
 * The one list of a Unit's columns: puts, replacements, purges, reads, index feeds and exports follow from it.
 * To add a column: a line in prisma/schema.prisma with its migration, a field of `UnitContent`, and a line here.
 */
export const unitTable: readonly UnitColumn[] = [
  unitColumn('namespace_id', text, { put: 'statement', kept: true }),
  unitColumn('unit_id', text, { kept: true }),
  unitColumn('seq', bigint),
  unitColumn('ordinal', bigint, { put: 'statement', kept: true }),
  unitColumn('state', text, { put: 'statement', kept: true }),
  unitColumn('scope_id', text),
  unitColumn('plane', text),
  content('modality', 'modality', word(oneOf(modalities, 'a modality')), { purged: null }),
  content('text', 'text', orNull(text)),
  content('title', 'title', orNull(text)),
  content('language', 'language', orNull(text)),
  content('sourceUri', 'source_uri', orNull(text)),
  content('mime', 'mime', orNull(text)),
  content('locator', 'locator', orNull(json())),
  content('docId', 'doc_id', orNull(text)),
  unitColumn('document_id', orNull(text), { purged: 'NULL', kept: true }),
  content('externalId', 'external_id', orNull(text), { kept: true }),
  unitColumn('writer', text, { kept: true }),
  unitColumn('source_by_writer', orNull(bool), { purged: 'NULL' }),
  unitColumn('acl_set_id', orNull(text), { purged: 'NULL' }),
  content('metadata', 'metadata', json(), { purged: `'{}'` }),
  unitColumn('content_hash', orNull(text), { purged: 'NULL' }),
  unitColumn('has_vector', bool, { purged: 'false' }),
  unitColumn('embed_pending', bool, { purged: 'false' }),
  // Of the last change of readers alone: a put leaves them out.
  unitColumn('readers_seq', orNull(bigint)),
  unitColumn('content_seq', orNull(bigint)),
  unitColumn('created_at', bigint, { put: 'statement', kept: true }),
  unitColumn('updated_at', bigint, { put: 'statement' }),
]

type ContentColumn = UnitColumn & { field: string }

export const contentOf = (table: readonly UnitColumn[]): ContentColumn[] =>
  table.filter((column): column is ContentColumn => column.field !== null)

/** Column names, as written in a statement. */
export const listed = (names: readonly string[], prefix = ''): Prisma.Sql =>
  Prisma.raw(names.map((name) => `${prefix}"${name}"`).join(', '))

/** The columns of a statement that selects these, and each content column under its field's name. */
export const selectedWith = <C extends Columns>(columns: C, table: readonly ContentColumn[]): C => ({
  ...Object.fromEntries(table.map((column) => [column.field, column])),
  ...columns,
})

/** The fields that the table stores unchanged, from a row read with `selectedWith`. */
export function readContent(table: readonly ContentColumn[], row: Readonly<Record<string, unknown>>): UnitContent {
  const fields = Object.fromEntries(table.map(({ field }) => [field, row[field]]))
  return fields as object as UnitContent
}

/** Longer texts are read separately, a few at a time: a page of them would block the event loop. Bytes of UTF-8. */
const longText = 16_384

export const plane = word(oneOf(planes, 'a plane'))

/** What is selected of a Unit in addition to its content. */
const managed = {
  unit_id: text,
  seq: bigint,
  scope_id: text,
  path: text,
  plane,
  /** Of a long text; the text column itself is then null. */
  text_bytes: orNull(integer),
  owner: text,
  groups: texts,
  created_at: bigint,
  updated_at: bigint,
}

const withText = { ...managed, text: orNull(text) }

/** A Unit joined with its scope and ACL set. */
export type UnitRecord = Row<typeof withText>

/** A live Unit with what decides who may read it. */
export interface LoadedUnit {
  unitId: string
  scopeId: string
  plane: Plane
  acl: Acl
  /** Null if its text is long. */
  unit: Unit | null
}

interface UnitSelect {
  columns: typeof withText
  /** From `unitJoins`. */
  sql: Prisma.Sql
  toUnit(row: UnitRecord): Unit
  toLoaded(row: UnitRecord): LoadedUnit
}

/** How Units with these columns are read: each content column under its field's name. */
export function unitSelect(table: readonly UnitColumn[] = unitTable): UnitSelect {
  const content = contentOf(table)
  const names = content.map(({ name, field }) => (name === 'text' ? short : `u."${name}" AS "${field}"`))
  const toUnit = (row: UnitRecord): Unit => ({
    unitId: row.unit_id,
    seq: row.seq,
    scope: row.path,
    plane: row.plane,
    acl: { owner: row.owner, groups: row.groups },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...readContent(content, row),
  })
  return {
    columns: selectedWith(withText, content),
    sql: Prisma.sql`u.unit_id, u.seq, u.scope_id, s.path, u.plane, octet_length(u.text) AS text_bytes, a.owner, a.groups,
      u.created_at, u.updated_at, ${Prisma.raw(names.join(', '))}`,
    toUnit,
    toLoaded: (row) => ({
      unitId: row.unit_id,
      scopeId: row.scope_id,
      plane: row.plane,
      acl: { owner: row.owner, groups: row.groups },
      unit: isLong(row) ? null : toUnit(row),
    }),
  }
}

/** Its text is read separately. */
export const isLong = ({ text_bytes }: Pick<UnitRecord, 'text_bytes'>): boolean => (text_bytes ?? 0) > longText

const short = `CASE WHEN octet_length(u.text) <= ${longText} THEN u.text END AS text`

export const unitJoins = (units: Prisma.Sql): Prisma.Sql => Prisma.sql`
  ${units} u
  JOIN scope s ON s.namespace_id = u.namespace_id AND s.id = u.scope_id AND s.deleted_at IS NULL
  JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id`
