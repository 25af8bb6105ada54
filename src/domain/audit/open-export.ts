import type { AuditRow, ExportFormat } from '../../model/audit.ts'
import { auditLine } from '../../model/audit-wire.ts'
import type { Namespace } from '../../model/registry.ts'
import { tiers } from '../../model/tiers.ts'
import type { AuditReader } from '../../ports/catalog/audit-reader.ts'
import { sessionOf } from '../access/enter.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { ocsfLine } from './ocsf.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { superAdminToken: string | undefined; version: string }

export interface OpenedExport {
  namespace: string
  format: ExportFormat
  /** Lines by seq, ascending, up to the head at opening; each chunk has several lines, each with its newline. */
  text: AsyncIterable<string>
}

/** Rows in memory at a time. */
const pageRows = 1000

/**
 * Uses a link, or only checks it. Null for an unknown, used or expired link. Null too if its owner could not request it
 * any more: the principal, its grants, the namespace or its tier may have changed.
 */
export async function openExport(
  deps: Deps,
  token: string,
  requestId: string,
  { peek }: { peek: boolean },
): Promise<OpenedExport | null> {
  const { exports } = deps.catalog
  const link = await (peek ? exports.find(tokenHash(token)) : exports.take(tokenHash(token)))
  if (!link || link.expiresAt <= deps.clock.now()) return null
  const { principalId, format } = link
  const session = await sessionOf(deps, principalId, link.namespace.name, requestId)
  if (!session?.isAdmin || !tiers[session.namespace.tier].audit) return null
  const { namespace } = session
  const { audit } = deps.catalog
  const { head } = await audit.end(namespace.id)
  const line = format === 'ocsf' ? (row: AuditRow) => ocsfLine(row, deps.version) : auditLine
  return { namespace: namespace.name, format, text: linesUpTo(audit, namespace, head.seq, line) }
}

async function* linesUpTo(
  audit: AuditReader,
  namespace: Namespace,
  head: number,
  line: (row: AuditRow) => string,
): AsyncGenerator<string> {
  for (let last = 0; ; ) {
    const rows = await audit.between(namespace, last, head, pageRows)
    if (rows.length > 0) yield rows.map((row) => `${line(row)}\n`).join('')
    if (rows.length < pageRows) return
    last = rows.at(-1)?.seq ?? head
  }
}
