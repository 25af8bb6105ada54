import { type Acl, type Plane, planes, type Unit } from '../../../../model/unit.ts'
import { bigint, integer, oneOf, orNull, type Row, text, texts, word } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { contentOf, readContent, selectedWith, type UnitColumn, unitTable } from './columns.ts'

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

export interface UnitSelect {
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
