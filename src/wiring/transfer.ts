import { openCatalog } from '../adapters/catalog/catalog.ts'
import type { Config } from '../config.ts'
import { createAnchoring } from '../domain/audit/anchoring.ts'
import { createCheckpoints } from '../domain/audit/checkpoints.ts'
import { createLogAges } from '../domain/audit/log-ages.ts'
import { createNoteSigner } from '../domain/audit/note-signer.ts'
import type { Bindings } from '../domain/bindings/bindings.ts'
import { type ExportOutput, exportNamespaces } from '../domain/transfer/export-namespaces.ts'
import { type ImportInput, importNamespaces } from '../domain/transfer/import-namespaces.ts'
import { createLog } from '../log.ts'
import { systemClock, systemRandom } from '../system.ts'
import { version } from '../version.ts'
import { anchorOf, auditOf } from './audit.ts'
import { objectsOf } from './objects.ts'

export type Transfer = ReturnType<typeof transferOf>

/**
 * Export and import, for the operator of the service: they bypass access control. Opens the catalog and the object
 * store; only an import opens the anchor and the keys that sign audit logs. Indexes, models, payments, mail and
 * sign-in may be out of reach.
 */
export async function openTransfer(config: Config) {
  const log = createLog(config.logLevel)
  // It reads little twice, and writes nothing that it reads again.
  const catalog = await openCatalog({ ...config.catalog, memoryBytes: 0 }, log)
  const objects = await objectsOf(config).catch(async (error: unknown) => {
    await catalog.close()
    throw error
  })
  const bindings = { catalog, objects, clock: systemClock, random: systemRandom, log }
  return { ...transferOf(config, bindings), close: () => catalog.close() }
}

type Opened = Pick<Bindings, 'catalog' | 'objects' | 'clock' | 'random' | 'log'>

/** On what is open already. */
export function transferOf(config: Config, bindings: Opened) {
  const bound = { ...bindings, version }
  return {
    export: (name: string | null, output: ExportOutput) => exportNamespaces(bound, name, output),
    import: async (input: ImportInput) => importNamespaces({ ...bound, ...(await signingOf(config, bound)) }, input),
  }
}

async function signingOf(config: Config, bound: Opened) {
  const audit = await auditOf(config)
  const signer = createNoteSigner(audit)
  const deps = { ...bound, ...audit, signer, brand: config.brand, logAges: createLogAges(bound.clock) }
  const anchoring = createAnchoring({ ...deps, anchor: await anchorOf(config) })
  return { signer, checkpoints: createCheckpoints({ ...deps, anchoring }) }
}
