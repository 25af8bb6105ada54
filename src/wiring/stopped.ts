import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Domain } from '../domain/services.ts'
import { OperatorError } from '../model/operator-error.ts'

/** Whether there is an embedded catalog. */
export const holdsCatalog = (dataDir: string): boolean => existsSync(join(dataDir, 'catalog'))

/** Throws an `OperatorError` where there is no embedded catalog, which would be made. */
export function requireCatalog({ catalog }: Config): void {
  if (catalog.kind === 'pglite' && !holdsCatalog(catalog.dataDir)) {
    throw new OperatorError(`${resolve(catalog.dataDir)} holds no catalog; set DATA_DIR or --data-dir to the data`)
  }
}

/** Works on the data of a stopped service, or on those of a database, without a service. Throws `OperatorError` for no data. */
export async function withStopped<T>(config: Config, work: (domain: Domain) => Promise<T>): Promise<T> {
  requireCatalog(config)
  // Loaded only here: help and a request need no database driver.
  const { createRuntime } = await import('../runtime.ts')
  const runtime = await createRuntime(config, {}, { background: 'never' })
  try {
    return await work(runtime.domain)
  } finally {
    await runtime.dispose()
  }
}
