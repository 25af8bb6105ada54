import {
  type AuditAction,
  type AuditOutcome,
  type AuditRow,
  type ExportFormat,
  exportFormats,
  genesisHash,
  principalActions,
  scopeActions,
  unitActions,
} from '../../../model/audit.ts'
import type { ChainLink } from '../../../model/audit-chain.ts'
import type { Listed, PageRange } from '../../../model/page.ts'
import type { Namespace, ScopePattern } from '../../../model/registry.ts'
import { allOrNull, bigint, oneOf, orNull, type Row, stored, text } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import { select } from './select.ts'
import type { UnitReach } from './select-units.ts'
import { visible } from './select-units.ts'
import { unitJoins } from './unit-columns.ts'

/** Which rows of a namespace's log a caller may see. */
export type AuditVisibility =
  | 'all'
  | {
      /** Rows of this principal are visible for any target, and rows about it. Null for none. */
      ownOf: string | null
      /** Rows whose target is one of these Units are visible. */
      units: UnitReach
      /** Rows whose target is at or below one of these are visible. */
      scopes: readonly ScopePattern[]
    }

/** Rows that meet every condition. */
export interface AuditFilter {
  action?: string | undefined
  principalId?: string | undefined
  outcome?: string | undefined
  target?: string | undefined
  requestId?: string | undefined
  /** Epoch milliseconds, inclusive. */
  after?: number | undefined
  /** Epoch milliseconds, inclusive. */
  before?: number | undefined
  /** Leaves out these actions of this principal. */
  without?: { principalId: string; actions: readonly AuditAction[] } | undefined
}

/** A link that exports a log once, as it is stored: without its token. */
export interface ExportLinkRow {
  /** SHA-256 of the token, hex. */
  hash: string
  /** Who requested it. */
  principalId: string
  format: ExportFormat
  /** Epoch milliseconds. */
  expiresAt: number
}

export interface ExportLink extends Omit<ExportLinkRow, 'hash'> {
  namespace: Namespace
}

const record = {
  seq: stored<bigint>('bigint'),
  time: stored<bigint>('bigint'),
  principal_id: stored<string>('text'),
  action: stored<AuditAction>('text'),
  target: stored<string | null>('text'),
  outcome: stored<AuditOutcome>('text'),
  request_id: stored<string>('text'),
  detail: stored<AuditRow['detail']>('json'),
  prev_hash: stored<string>('text'),
  hash: stored<string>('text'),
}

type AuditRecord = Row<typeof record>

const columns = Prisma.sql`
  r.seq, r.time, r.principal_id, r.action, r.target, r.outcome, r.request_id, r.detail, r.prev_hash, r.hash`

/** A page with the total count in each row; an empty page is one record without a seq. */
const pageColumns = { count: bigint, ...allOrNull(record) }

/** Reads audit logs. Rows never change. Each read sees one snapshot. */
export function createAuditReader(db: Db) {
  return {
    /** A page of the visible rows that meet the filter, newest first. */
    page: async (
      namespace: Namespace,
      visibility: AuditVisibility,
      range: PageRange,
      filter: AuditFilter,
    ): Promise<Listed<AuditRow>> => {
      const conditions = auditConditions(filter)
      const isWhole = visibility === 'all' && conditions.length === 0
      const records = await select(db, pageColumns)`
        ${isWhole ? pageOfAll(namespace.id, range) : pageOfSome(namespace.id, visibility, conditions, range)}`
      const items = records.flatMap((record) => (record.seq === null ? [] : [toRow(record as AuditRecord, namespace)]))
      return { items, count: toNumber(records[0]?.count ?? 0) }
    },

    /** The row with that seq; null when it does not exist or is not visible. */
    row: async (namespace: Namespace, visibility: AuditVisibility, seq: number): Promise<AuditRow | null> => {
      const [found] = await select(db, record)`
        SELECT ${columns} FROM ${seenBy(namespace.id, visibility)} AND r.seq = ${seq}`
      return found ? toRow(found, namespace) : null
    },

    /**
     * The visible rows of the first hard deletion of Units that reached the namespace's `unitSeq`: one row for each of
     * its batches, ascending.
     */
    deletion: async (namespace: Namespace, visibility: AuditVisibility, unitSeq: number): Promise<AuditRow[]> => {
      const records = await select(db, record)`
        WITH known AS (SELECT * FROM audit_row d WHERE d.namespace_id = ${namespace.id} AND d.action = 'units.delete'
          AND d.detail->>'hard' = 'true'),
        named AS (SELECT * FROM known d WHERE d.detail->>'seq' = ${`${unitSeq}`} ORDER BY d.seq LIMIT 1)
        SELECT ${columns} FROM ${seenBy(namespace.id, visibility)}
          AND r.seq IN (SELECT d.seq FROM known d, named n WHERE ${sameDeletion})
        ORDER BY r.seq`
      return records.map((record) => toRow(record, namespace))
    },

    /** The end of the chain by the head row, and the first row outside of 1 to that end, if any. */
    end: async (namespaceId: string): Promise<{ head: ChainLink; strayAt: number | null }> => {
      const [end] = await select(db, { audit_seq: bigint, audit_hash: text, stray: orNull(bigint) })`
        SELECT e.audit_seq, e.audit_hash, least(
          (SELECT min(seq) FROM audit_row WHERE namespace_id = ${namespaceId} AND seq < 1),
          (SELECT min(seq) FROM audit_row WHERE namespace_id = ${namespaceId} AND seq > e.audit_seq)) AS stray
        FROM (SELECT coalesce(max(audit_seq), 0) AS audit_seq, coalesce(max(audit_hash), ${genesisHash}) AS audit_hash
          FROM head WHERE namespace_id = ${namespaceId}) e`
      return {
        head: { seq: toNumber(end?.audit_seq ?? 0), hash: end?.audit_hash ?? genesisHash },
        strayAt: end?.stray == null ? null : toNumber(end.stray),
      }
    },

    /**
     * Rows above a seq and up to another, ascending, as text that can be hashed without changes. This is several times
     * faster to read than the rows. One line per row: `<hash> <prev_hash> <seq> <the row's canonical JSON>`, in texts of
     * a few hundred lines, without a last newline. Rows that were tampered with may break the format.
     */
    lines: async (namespace: Namespace, above: number, upTo: number): Promise<string[]> => {
      const pages: string[] = []
      const parts = await plainLines(db, namespace, above, upTo)
      // Sorted here: the database would buffer megabytes of text before it sends the first row.
      for (const part of parts.toSorted((a, b) => a.above - b.above)) {
        const from = toNumber(part.above)
        pages.push(part.lines ?? (await escapedLines(db, namespace, from, Math.min(from + partRows, upTo))))
      }
      return pages
    },

    /** Rows above a seq and up to another, ascending, at most `limit`. */
    between: async (namespace: Namespace, above: number, upTo: number, limit: number): Promise<AuditRow[]> => {
      const records = await select(db, record)`
        SELECT ${columns} FROM audit_row r
        WHERE r.namespace_id = ${namespace.id} AND r.seq > ${above} AND r.seq <= ${upTo} ORDER BY r.seq LIMIT ${limit}`
      return records.map((record) => toRow(record, namespace))
    },
  }
}

/**
 * Whether the row `d` belongs to the same deletion as the row `n`. Rows written before deletions had ids are matched by
 * their request; there, a batch of less than 1,000 Units was the last one of its deletion.
 */
const sameDeletion = Prisma.sql`d.principal_id = n.principal_id AND CASE WHEN n.detail->>'deletion' IS NOT NULL
  THEN d.detail->>'deletion' = n.detail->>'deletion'
  ELSE d.request_id = n.request_id AND d.detail->>'deletion' IS NULL AND NOT EXISTS (SELECT 1 FROM known e
    WHERE e.principal_id = n.principal_id AND e.request_id = n.request_id AND e.detail->>'units' <> '1000'
      AND e.seq >= least(d.seq, n.seq) AND e.seq < greatest(d.seq, n.seq)) END`

/** This many lines are about 100 kB. Larger texts arrive in pieces and are freed only by slow garbage collection. */
const partRows = 250

/** Lines of the rows above a seq; null if there are none, or if one needs escaping. */
const linesPart = { above: bigint, lines: orNull(text) }

/**
 * Lines built directly from the columns: half the work for the database. Returns no lines if a text has a character
 * that JSON escapes; then escaping makes the total length longer. Leaves out a row that lacks one of its columns.
 * `detail` holds its canonical text.
 */
const plainLines = (db: Db, namespace: Namespace, above: number, upTo: number) => select(db, linesPart)`
  SELECT part.above, batch.lines
  FROM generate_series(${above}::bigint, ${upTo}::bigint - 1, ${partRows}::bigint) AS part(above), LATERAL (
    SELECT CASE WHEN octet_length(to_json(string_agg(r.texts, ''))::text) = octet_length(string_agg(r.texts, '')) + 2
      THEN string_agg(r.line, E'\n') END AS lines
    FROM (
      SELECT action || outcome || principal_id || request_id || coalesce(target, '') AS texts,
        ((hash || ' ' || prev_hash || ' ' || seq) || (' {"action":"' || action || '","detail":' || detail::text))
        || ((${`,"namespace":${JSON.stringify(namespace.name)},"outcome":"`} || outcome)
        || ('","principal_id":"' || principal_id || '","request_id":"' || request_id || '","seq":' || seq)
        || (',"target":' || coalesce('"' || target || '"', 'null') || ',"time":' || time || '}')) AS line
      FROM audit_row
      WHERE namespace_id = ${namespace.id} AND seq > part.above
        AND seq <= least(part.above + ${partRows}::bigint, ${upTo}::bigint)
      ORDER BY seq) r) batch`

/** PostgreSQL writes a record as RFC 8785 does if its columns are in order: no blanks, the same escapes. */
async function escapedLines(db: Db, namespace: Namespace, above: number, upTo: number): Promise<string> {
  const [batch] = await select(db, { lines: orNull(text) })`
    SELECT string_agg(concat(r.hash, ' ', r.prev_hash, ' ', r.seq, ' ', row_to_json(body)), E'\n') AS lines
    FROM (SELECT * FROM audit_row
      WHERE namespace_id = ${namespace.id} AND seq > ${above} AND seq <= ${upTo} ORDER BY seq) r,
    LATERAL (SELECT r.action, r.detail, ${namespace.name}::text AS namespace, r.outcome, r.principal_id, r.request_id,
      r.seq, r.target, r.time) body`
  return batch?.lines ?? ''
}

/** The chain has no gaps, so an offset is a seq: every page costs the same, at any offset. */
const pageOfAll = (namespaceId: string, { cursor, limit }: PageRange): Prisma.Sql => Prisma.sql`
  SELECT h.audit_seq AS count, ${columns}
  FROM head h LEFT JOIN audit_row r ON r.namespace_id = h.namespace_id
    AND r.seq > h.audit_seq - ${cursor}::bigint - ${limit}::bigint AND r.seq <= h.audit_seq - ${cursor}::bigint
  WHERE h.namespace_id = ${namespaceId} ORDER BY r.seq DESC`

const pageOfSome = (
  namespaceId: string,
  visibility: AuditVisibility,
  conditions: readonly Prisma.Sql[],
  { cursor, limit }: PageRange,
): Prisma.Sql => Prisma.sql`
  WITH seen AS MATERIALIZED (
    SELECT r.seq FROM ${Prisma.join([seenBy(namespaceId, visibility), ...conditions], ' AND ')}),
  page AS (SELECT seq FROM seen ORDER BY seq DESC OFFSET ${cursor} LIMIT ${limit})
  SELECT c.count, ${columns}
  FROM (SELECT count(*) FROM seen) c
  LEFT JOIN (page p JOIN audit_row r ON r.namespace_id = ${namespaceId} AND r.seq = p.seq) ON TRUE
  ORDER BY r.seq DESC`

/** The SQL between FROM and further conditions: the visible rows `r` of a log. */
const seenBy = (namespaceId: string, visibility: AuditVisibility): Prisma.Sql =>
  visibility === 'all'
    ? Prisma.sql`audit_row r WHERE r.namespace_id = ${namespaceId}`
    : Prisma.sql`audit_row r
    LEFT JOIN (${unitJoins(Prisma.sql`unit`)}) ON u.unit_id = r.target AND ${visible({ namespaceId, ...visibility.units })}
    WHERE r.namespace_id = ${namespaceId} AND (
      r.principal_id = ${visibility.ownOf}::text
      OR (r.action = ANY(${[...principalActions]}::text[]) AND r.target = ${visibility.ownOf}::text)
      OR (u.unit_id IS NOT NULL AND r.action = ANY(${[...unitActions]}::text[]))
      OR (r.action = ANY(${[...scopeActions]}::text[]) AND ${covered(visibility.scopes)}))`

/** `covers` in SQL: whether the target is at or below one of these. */
function covered(scopes: readonly ScopePattern[]): Prisma.Sql {
  if (scopes.includes('*')) return Prisma.sql`TRUE`
  return Prisma.sql`EXISTS (SELECT 1 FROM unnest(${[...scopes]}::text[]) AS t(root)
    WHERE r.target = t.root OR starts_with(r.target, t.root || '/'))`
}

const toRow = (record: AuditRecord, namespace: Namespace): AuditRow => ({
  namespace: namespace.name,
  seq: toNumber(record.seq),
  time: toNumber(record.time),
  principalId: record.principal_id,
  action: record.action,
  target: record.target,
  outcome: record.outcome,
  requestId: record.request_id,
  detail: record.detail,
  prevHash: record.prev_hash,
  hash: record.hash,
})

/** The conditions of a filter on the rows `r` of a log. */
function auditConditions(filter: AuditFilter): Prisma.Sql[] {
  const { action, principalId, outcome, target, requestId, after, before, without } = filter
  const equal = { action, principal_id: principalId, outcome, target, request_id: requestId }
  const conditions = Object.entries(equal).flatMap(([column, value]) =>
    value === undefined ? [] : [Prisma.sql`r.${Prisma.raw(column)} = ${value}`],
  )
  if (after !== undefined) conditions.push(Prisma.sql`r.time >= ${after}::bigint`)
  if (before !== undefined) conditions.push(Prisma.sql`r.time <= ${before}::bigint`)
  if (without !== undefined)
    conditions.push(
      Prisma.sql`NOT (r.principal_id = ${without.principalId} AND r.action IN (${Prisma.join([...without.actions])}))`,
    )
  return conditions
}

const toFormat = oneOf(exportFormats, 'a format of exports')

export function createExportLinks(db: Db) {
  const find = async (hash: string): Promise<ExportLink | null> => {
    const namespace = { select: { id: true, name: true, tier: true } }
    const link = await db.auditExport.findUnique({ where: { hash }, include: { namespace } })
    if (link === null) return null
    const { id, name, tier } = link.namespace
    return {
      namespace: { id, name, tier: toTier(tier) },
      principalId: link.principalId,
      format: toFormat(link.format),
      expiresAt: toNumber(link.expiresAt),
    }
  }
  return {
    /** The stored link; null if it does not exist. */
    find,
    // If two requests take it at once, only one deletes it.
    /** Removes the link and returns it. Only one of several concurrent callers gets it. Null if it does not exist. */
    take: async (hash: string): Promise<ExportLink | null> => {
      const link = await find(hash)
      const { count } = await db.auditExport.deleteMany({ where: { hash } })
      return count > 0 ? link : null
    },
    /** Removes links that expired by `now`; returns their number. */
    removeExpired: async (now: number) =>
      (await db.auditExport.deleteMany({ where: { expiresAt: { lte: now } } })).count,
  }
}

export type AuditReader = ReturnType<typeof createAuditReader>
export type ExportLinks = ReturnType<typeof createExportLinks>
