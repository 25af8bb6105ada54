import { openCatalog, type PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { createLog } from '../../../src/log.ts'
import type { AuditReader } from '../../../src/ports/catalog.ts'
import { boot, superAdminToken, type TestApp } from '../boot.ts'
import { createStorage } from './database.ts'

/** An app whose database is open to a superuser with the audit triggers switched off. */
export interface TamperedApp {
  app: TestApp
  catalog: PrismaCatalog
  sql(text: string, ...values: unknown[]): Promise<number>
  /** Creates a namespace with N rows in its log; returns its id. */
  log(name: string, rows: number): Promise<string>
  /** Appends rows to a log until it has N rows. */
  extend(namespaceId: string, rows: number, principalId?: string): Promise<void>
  /** The verification report, as the super-admin reads it. */
  verify(namespace: string): Promise<Record<string, unknown>>
}

export async function bootTampered(wrap = (audit: AuditReader) => audit): Promise<TamperedApp> {
  const storage = await createStorage()
  const catalog = await openCatalog(storage.catalog, createLog('fatal'))
  // However long a test takes, its logs are not signed in the background.
  const config = { audit: { checkpointMs: 0 } }
  const app = await boot({ storage, config, bindings: { catalog: { ...catalog, audit: wrap(catalog.audit) } } })
  const sql = (text: string, ...values: unknown[]) => catalog.client.$executeRawUnsafe(text, ...values)
  await sql('ALTER TABLE audit_row DISABLE TRIGGER USER')
  const extend = async (namespaceId: string, rows: number, principalId = 'p') => {
    const { head } = await catalog.audit.end(namespaceId)
    await catalog.transact(namespaceId, async (tx) => {
      for (let i = head.seq + 1; i <= rows; i++) {
        const detail = { units: i, note: `ünï "${i}"`, half: i / 2, hard: i % 2 === 0, none: null }
        const actor = { time: 1_700_000_000_000 + i, principalId, requestId: `r-${i}` }
        const target = i % 3 === 0 ? null : `scope/${i}`
        await tx.audit({ ...actor, action: 'units.ingest', target, outcome: 'ok', detail })
      }
    })
  }
  return {
    app,
    catalog,
    sql,
    extend,
    log: async (name, rows) => {
      await app.principal({ id: `${name}-admin`, namespace: name })
      const found = await catalog.access.namespace(name)
      if (!found) throw new Error(`no namespace ${name}`)
      await extend(found.namespace.id, rows)
      return found.namespace.id
    },
    verify: async (namespace) => {
      const { status, body } = await app.call('GET', '/v1/audit/verify', { token: superAdminToken, namespace })
      if (status !== 200) throw new Error(`verify answered ${status}: ${JSON.stringify(body)}`)
      return body
    },
  }
}
