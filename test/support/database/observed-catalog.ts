import { openCatalog } from '../../../src/adapters/catalog/catalog.ts'
import type { Bindings } from '../../../src/domain/bindings/bindings.ts'
import { createLog } from '../../../src/log.ts'
import type { AuditEntry } from '../../../src/model/audit.ts'
import type { Catalog } from '../../../src/ports/catalog.ts'
import type { AuditConfig } from '../../../src/settings/audit.ts'
import { boot, type TestApp } from '../boot.ts'
import { tempDir } from '../temp-dir.ts'
import { expectSoundCatalog } from './catalog-rows.ts'
import { createStorage } from './database.ts'

export interface ObservedCatalog {
  catalog: Catalog
  /** The audit actions of each committed transaction. */
  groups: string[][]
  faults: {
    /** Writes to a namespace fail. */
    failing: boolean
    /** Writes wait for this first. */
    gate: Promise<void>
  }
  /** A namespace's chain, oldest first. */
  chain(namespace: string): Promise<ChainRow[]>
  /** Boots an application on this catalog, with its own settings. */
  app(audit: Partial<AuditConfig>, bindings?: Partial<Bindings>): Promise<TestApp>
  /** Closes everything, then checks the data on disk. */
  close(): Promise<void>
}

type ChainRow = Omit<AuditEntry, 'time'>

/** Wraps the real catalog: it records writes, and a test can make them wait or fail. */
export async function openObserved(): Promise<ObservedCatalog> {
  const storage = await createStorage()
  const real = await openCatalog(storage.catalog, createLog('fatal'))
  const groups: string[][] = []
  const faults = { failing: false, gate: Promise.resolve() }
  const transact: Catalog['transact'] = async (namespaceId, work, options) => {
    await faults.gate
    if (faults.failing) throw new Error('the catalog fails')
    const actions: string[] = []
    const result = await real.transact(
      namespaceId,
      (tx) =>
        work({
          ...tx,
          audit: (entry) => {
            actions.push(entry.action)
            return tx.audit(entry)
          },
        }),
      options,
    )
    groups.push(actions)
    return result
  }
  // Several applications share the catalog, so none of them closes it.
  const catalog = { ...real, transact, close: async () => {} }
  const apps: TestApp[] = []
  const directories: ReturnType<typeof tempDir>[] = []
  return {
    catalog,
    groups,
    faults,
    chain: async (name) => {
      const rows = await real.client.auditRow.findMany({ where: { namespace: { name } }, orderBy: { seq: 'asc' } })
      return rows.map(({ principalId, action, target, outcome, requestId, detail }) => ({
        ...{ principalId, action, target, outcome, requestId, detail },
      })) as ChainRow[]
    },
    app: async (audit, bindings = {}) => {
      const directory = tempDir('audit')
      directories.push(directory)
      const own = { ...storage, dataDir: directory.path }
      const app = await boot({ storage: own, config: { audit }, bindings: { ...bindings, catalog } })
      apps.push(app)
      return app
    },
    close: async () => {
      for (const app of apps) await app.close({ keep: true })
      await real.close()
      await expectSoundCatalog(storage)
      await storage.remove()
      for (const directory of directories) directory.remove()
    },
  }
}
