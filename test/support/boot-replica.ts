import type { Config } from '../../src/config.ts'
import type { Bindings } from '../../src/domain/bindings/bindings.ts'
import { boot, type TestApp } from './boot.ts'
import { tempDir } from './temp-dir.ts'

interface ReplicaOptions {
  config?: Partial<Config>
  bindings?: Partial<Bindings>
}

/**
 * Another application over the catalog of `app`: a server's database is opened anew, the embedded one can be open only
 * once and is shared. Everything else is its own.
 */
export async function bootReplica(app: TestApp, { config, bindings }: ReplicaOptions): Promise<TestApp> {
  const directory = tempDir('replica')
  const isServer = app.storage.catalog.kind === 'postgresql'
  const shared = isServer ? {} : { catalog: { ...app.runtime.bindings.catalog, close: async () => {} } }
  const replica = await boot({
    config: { ...config, dataDir: directory.path },
    bindings: { ...shared, ...bindings },
    storage: app.storage,
  })
  const close = async () => {
    await replica.close({ keep: true })
    directory.remove()
  }
  return { ...replica, close }
}
